// Every model with every head compiles for TPU and CUDA without such a device.
#include "pjrt/aot.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "models/cases.h"
#include "models/packed_model.h"
#include "portatune/parity/optimizer_steps.h"
#include "portatune/parity/reference_task.h"

namespace portatune::test {
namespace {

pjrt::Executable compile_for(pjrt::AotTarget target, const Function& function) {
  // Triton's matrix products are off: they double the compile time and are not tested here.
  pjrt::CompileOptions options{.replicas = function.mesh.devices()};
  if (target == pjrt::AotTarget::kCudaH100) options.xla_options["xla_gpu_enable_triton_gemm"] = false;
  return pjrt::aot_topology(target).compile(to_stablehlo(function, {}), options);
}

// The name of a test, from a case and a target.
constexpr auto kNameOfCase = [](const auto& info) {
  const testing::TestParamInfo<pjrt::AotTarget> target(std::get<1>(info.param), 0);
  return std::string(std::get<0>(info.param)) + pjrt::name_of_target(target);
};

class ModelAot : public ::testing::TestWithParam<std::tuple<std::string, pjrt::AotTarget>> {
 protected:
  const pjrt::AotTarget target_ = std::get<1>(GetParam());
  const parity::ReferenceCase reference_{case_folder(std::get<0>(GetParam()))};
  const parity::ReferenceTask task_{reference_};

  // True for the first case of each architecture, which has optimizer steps. Compiling a step for CUDA takes 10
  // seconds; therefore the other heads are compiled only on request (PORTATUNE_AOT_ALL).
  bool is_whole() const { return !reference_.names("after5").empty(); }
  static bool wants_all() { return std::getenv("PORTATUNE_AOT_ALL") != nullptr; }
};

TEST_P(ModelAot, Compiles) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(target_);
  const train::Signature inputs = signature_of(task_, reference_);
  constexpr DType kDtype = DType::kBFloat16;
  if (!task_.has_loss() || (target_ == pjrt::AotTarget::kCudaH100 && !is_whole() && !wants_all())) {
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

INSTANTIATE_TEST_SUITE_P(Models, ModelAot,
                         ::testing::Combine(::testing::ValuesIn(case_names()), ::testing::ValuesIn(pjrt::kAotTargets)),
                         kNameOfCase);

}  // namespace
}  // namespace portatune::test
