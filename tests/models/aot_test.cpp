// Every architecture compiles for TPU without such a device, and for CUDA one model of each kind of layers. With
// PORTATUNE_TEST_ALL=1 (`make test-all`) every model with every head compiles for both.
#include "runtime/pjrt/aot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "models/cases.h"
#include "models/packed_model.h"
#include "portatune/analysis/parity/optimizer_steps.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/analysis/plan/compiler.h"
#include "portatune/runtime/target.h"
#include "runtime/pjrt/variable.h"

namespace portatune::test {
namespace {

pjrt::Executable compile_for(pjrt::AotTarget target, const Function& function) {
  // Triton's matrix products are off: they double the compile time and are not tested here.
  pjrt::CompileOptions options{.replicas = function.mesh.devices()};
  if (target == pjrt::AotTarget::kCudaH100) options.xla_options["xla_gpu_enable_triton_gemm"] = false;
  const Target lowered_for = target_for(pjrt::platform_of(target), {});
  return pjrt::aot_topology(target).compile(to_stablehlo(function, lowered_for), options);
}

// The name of a test, from a case and a target.
constexpr auto kNameOfCase = [](const auto& info) {
  const testing::TestParamInfo<pjrt::AotTarget> target(std::get<1>(info.param), 0);
  return std::string(std::get<0>(info.param)) + pjrt::name_of_target(target);
};

// The cases that always compile for CUDA, which takes up to 10 seconds for a training step. The architectures that are
// missing (AST, Big Bird with full attention, BigBirdPegasus, DeBERTa v3, DeiT, ELECTRA, Gemma, HuBERT, Marian, mBART,
// mT5, Pegasus, RoBERTa, SmolLM3, UMT5, Whisper, XLM-RoBERTa) have the layers of BART, BERT, DeBERTa v2, Gemma 2,
// Llama, T5, ViT and wav2vec 2.0.
constexpr std::array kCudaSample = {"albert_softmax",
                                    "bart_lm",
                                    "bartdecoder_lm",
                                    "bert_softmax",
                                    "bigbirdsparse_softmax",
                                    "debertav2_conv",
                                    "distilbert_softmax",
                                    "gemma2_lm",
                                    "gemma3_lm",
                                    "gpt2_lm",
                                    "gptneox_lm",
                                    "llama_lm",
                                    "mistral_lm",
                                    "modernbert_softmax",
                                    "mpnet_softmax",
                                    "opt_lm",
                                    "phi_lm_tied",
                                    "qwen2_lm",
                                    "qwen3_lm",
                                    "t5_lm",
                                    "vit_softmax",
                                    "wav2vec2_ctc_mean",
                                    "wav2vec2_softmax",
                                    "wav2vec2_xvector"};

// The architecture of a case: "bert" of "bert_softmax".
std::string architecture_of(const std::string& name) { return name.substr(0, name.find('_')); }

// For TPUs the first case of each architecture compiles, too. The other cases compile in `make test-all`.
std::vector<std::tuple<std::string, pjrt::AotTarget>> compiled_cases() {
  std::vector<std::tuple<std::string, pjrt::AotTarget>> cases;
  std::set<std::string> architectures;
  for (const std::string& name : case_names()) {
    const bool is_first = architectures.insert(architecture_of(name)).second;
    const bool is_in_sample = wants_all_cases() || std::ranges::find(kCudaSample, name) != kCudaSample.end();
    if (is_first || is_in_sample) cases.emplace_back(name, pjrt::AotTarget::kTpuV5e);
    if (is_in_sample) cases.emplace_back(name, pjrt::AotTarget::kCudaH100);
  }
  return cases;
}

class ModelAot : public ::testing::TestWithParam<std::tuple<std::string, pjrt::AotTarget>> {
 protected:
  const pjrt::AotTarget target_ = std::get<1>(GetParam());
  const parity::ReferenceCase reference_{case_folder(std::get<0>(GetParam()))};
  const parity::ReferenceTask task_{reference_};
};

TEST_P(ModelAot, Compiles) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(target_);
  const train::Signature inputs = signature_of(task_, reference_);
  constexpr DType kDtype = DType::kBFloat16;
  if (!task_.has_loss()) {
    compile_for(target_, train::evaluation_program(task_, inputs, {.compute_dtype = kDtype}).function);
    return;
  }
  const train::StepProgram step = train::step_program(task_, inputs, {.compute_dtype = kDtype});
  const pjrt::Executable compiled = compile_for(target_, step.function);
  // Weights and optimizer state are updated in place.
  int64_t state = 0;
  for (const auto& [argument, result] : step.layout.replaced())
    state += step.function.parameters[argument].type().bytes();
  EXPECT_GE(compiled.memory_stats().aliased, state);
}

// A case of the sample that is renamed or removed must not disappear silently, and a new architecture must be on one of
// the two lists.
TEST(CudaSample, HasEveryKindOfLayers) {
  const std::vector<std::string> names = case_names();
  std::set<std::string> sampled = {"ast",
                                   "bigbird",
                                   "bigbirdpegasus",
                                   "bigbirdpegasusdecoder",
                                   "bigbirdpegasussparse",
                                   "debertav3",
                                   "deit",
                                   "electra",
                                   "gemma",
                                   "hubert",
                                   "marian",
                                   "mariandecoder",
                                   "mbart",
                                   "mbartdecoder",
                                   "mt5",
                                   "umt5",
                                   "pegasus",
                                   "pegasusdecoder",
                                   "roberta",
                                   "smollm3",
                                   "whisper",
                                   "whisperdecoder",
                                   "xlmroberta"};
  for (const char* name : kCudaSample) {
    EXPECT_TRUE(std::ranges::binary_search(names, name)) << name;
    sampled.insert(architecture_of(name));
  }
  for (const std::string& name : names) EXPECT_TRUE(sampled.contains(architecture_of(name))) << name;
}

// The head for frames, which no task of the command trains, for the accelerators of plan: tools/compile_matrix.py
// compiles the others.
class FrameHeadAot : public ::testing::TestWithParam<std::string> {};

TEST_P(FrameHeadAot, Compiles) {
  const plan::Target target = plan::target_called(GetParam());
  const bool is_tpu = target.accelerator->platform == "tpu";
  const pjrt::AotTarget aot = is_tpu ? pjrt::AotTarget::kTpuV5e : pjrt::AotTarget::kCudaH100;
  PORTATUNE_SKIP_WITHOUT_PLUGIN(aot);
  const pjrt::Variable plugin(is_tpu ? "PORTATUNE_TPU_PLUGIN" : "PORTATUNE_CUDA_PLUGIN",
                              pjrt::aot_plugin_file(aot).c_str());
  const parity::ReferenceCase reference(case_folder("wav2vec2_frames"));
  const parity::ReferenceTask task(reference);
  const train::StepProgram step =
      train::step_program(task, signature_of(task, reference), {.compute_dtype = DType::kBFloat16});
  EXPECT_GT(plan::open_compiler(target, {})->compile(step.function).memory.aliased, 0);
}

// All accelerators in `make test-all`, else one of each kind.
std::vector<std::string> compiled_accelerators() {
  if (std::getenv("PORTATUNE_TEST_ALL") == nullptr) return {"tpu:v5e", "cuda:h100"};
  std::vector<std::string> names;
  for (const plan::Accelerator& accelerator : plan::accelerators()) {
    if (accelerator.platform != "cpu") names.emplace_back(accelerator.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Models, FrameHeadAot, ::testing::ValuesIn(compiled_accelerators()), [](const auto& info) {
  std::string name = info.param;
  std::erase_if(name, [](char c) { return c == ':' || c == '-'; });
  return name;
});

// A training step on packed rows: causal with grouped heads, and with local layers.
class PackedAot : public ::testing::TestWithParam<std::tuple<const char*, pjrt::AotTarget>> {};

TEST_P(PackedAot, Compiles) {
  const auto& [name, target] = GetParam();
  PORTATUNE_SKIP_WITHOUT_PLUGIN(target);
  const parity::ReferenceCase reference(case_folder(name));
  const parity::ReferenceTask task(reference, packed_model(reference));
  const train::StepProgram step =
      train::step_program(task, signature_of(task, reference), {.compute_dtype = DType::kBFloat16});
  compile_for(target, step.function);
}

// A step on four devices, two of which share a copy of the weights.
class MeshAot : public PackedAot {
 protected:
  static void compile_on(const Mesh& mesh) {
    const auto& [name, target] = GetParam();
    PORTATUNE_SKIP_WITHOUT_PLUGIN(target);
    const parity::ReferenceCase reference(case_folder(name));
    const parity::ReferenceTask task(reference);
    train::Signature batch = signature_of(task, reference);
    for (auto& [array, type] : batch) type.shape[0] *= mesh.size(kBatchAxes);
    const train::StepOptions options{.compute_dtype = DType::kBFloat16, .remat = Remat::kLayers, .mesh = mesh};
    compile_for(target, train::step_program(task, batch, options).function);
  }
};

TEST_P(MeshAot, Compiles) { compile_on({.data = 2, .fsdp = 2}); }

// A step in which two devices share the heads and features of the layers.
TEST_P(MeshAot, CompilesTensorParallel) { compile_on({.fsdp = 2, .tensor = 2}); }

// A step that saves memory: three micro-batches of one row each, and recomputation of all values except matrix
// products.
class SavingAot : public PackedAot {};

TEST_P(SavingAot, Compiles) {
  const auto& [name, target] = GetParam();
  PORTATUNE_SKIP_WITHOUT_PLUGIN(target);
  const parity::ReferenceCase reference(case_folder(name));
  const parity::ReferenceTask task(reference);
  const train::StepProgram step =
      train::step_program(task, signature_of(task, reference),
                          {.compute_dtype = DType::kBFloat16, .gradient_accumulation_steps = 3, .remat = Remat::kDots});
  compile_for(target, step.function);
}

// A step with a scaled loss.
class Float16Aot : public PackedAot {};

TEST_P(Float16Aot, Compiles) {
  const auto& [name, target] = GetParam();
  PORTATUNE_SKIP_WITHOUT_PLUGIN(target);
  const parity::ReferenceCase reference(case_folder(name));
  const parity::ReferenceTask task(reference);
  compile_for(target,
              train::step_program(task, signature_of(task, reference), {.compute_dtype = DType::kFloat16}).function);
}

INSTANTIATE_TEST_SUITE_P(Models, Float16Aot,
                         ::testing::Combine(::testing::Values("llama_lm", "bert_softmax"),
                                            ::testing::ValuesIn(pjrt::kAotTargets)),
                         kNameOfCase);

INSTANTIATE_TEST_SUITE_P(Models, SavingAot,
                         ::testing::Combine(::testing::Values("llama_lm", "bert_softmax"),
                                            ::testing::ValuesIn(pjrt::kAotTargets)),
                         kNameOfCase);

INSTANTIATE_TEST_SUITE_P(Models, MeshAot,
                         ::testing::Combine(::testing::Values("llama_lm", "bert_softmax"),
                                            ::testing::ValuesIn(pjrt::kAotTargets)),
                         kNameOfCase);

INSTANTIATE_TEST_SUITE_P(Models, PackedAot,
                         ::testing::Combine(::testing::Values("llama_lm", "modernbert_softmax"),
                                            ::testing::ValuesIn(pjrt::kAotTargets)),
                         kNameOfCase);

INSTANTIATE_TEST_SUITE_P(Models, ModelAot, ::testing::ValuesIn(compiled_cases()), kNameOfCase);

}  // namespace
}  // namespace portatune::test
