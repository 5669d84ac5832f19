// Tensor parallelism: for every architecture, and for every head over the vocabulary, a step on several devices gives
// the loss, norm, weights and moments of one device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "models/cases.h"
#include "portatune/analysis/parity/optimizer_steps.h"
#include "portatune/analysis/parity/reference_task.h"
#include "portatune/error.h"
#include "portatune/tasks/objectives/token_slices.h"
#include "train/one_step.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Cases whose loss is a mean over rows or tokens. That of pretraining on speech is a sum, with a perplexity of the
// whole batch, whose negatives transformers numbers over all rows: tests/train/runs/contrastive_mesh_test.cpp has its
// task.
std::vector<std::string> cases_of_means() {
  std::vector<std::string> names = whole_cases();
  std::erase_if(names, [](const std::string& name) { return name.starts_with("wav2vec2_pretraining"); });
  return names;
}

// All cases of language models, and the whole ones. `make test` leaves out the cases of TensorParallelModel, which
// compares them on more meshes.
std::vector<std::string> cases_and_language_models() {
  const std::vector<std::string> whole = whole_cases(), compared = cases_of_means();
  std::vector<std::string> names = case_names();
  std::erase_if(names, [&](const std::string& name) {
    const std::string architecture = parity::ReferenceCase(case_folder(name)).architecture();
    const bool has_vocabulary =
        std::ranges::any_of(std::array{"ForMaskedLM", "ForPreTraining", "ForCausalLM", "LMHeadModel"},
                            [&](const char* head) { return architecture.ends_with(head); });
    if (!wants_all_cases() && std::ranges::binary_search(compared, name)) return true;
    return !has_vocabulary && !std::ranges::binary_search(whole, name);
  });
  return names;
}

// The requested number of rows, by repetition of the case's rows.
Tensor repeated(const Tensor& rows, int64_t count) {
  TensorType type = rows.type();
  const int64_t bytes = type.bytes() / type.shape[0];
  type.shape[0] = count;
  Tensor result(type);
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(rows.data() + i % rows.shape()[0] * bytes, bytes, result.data() + i * bytes);
  }
  return result;
}

class TensorParallel : public ::testing::TestWithParam<std::string> {
 protected:
  TensorParallel() {
    for (const std::string& name : task_.inputs()) batch_.set(name, repeated(reference_.inputs().tensor(name), 8));
  }

  std::vector<std::vector<float>> step_on(const Mesh& mesh, const train::StepOptions& options = in_micro_batches(1),
                                          bool use_kernels = true) const {
    const Device device({.mesh = mesh, .cache_folder = program_cache(), .use_kernels = use_kernels});
    return step(device, task_, batch_, options);
  }

  const parity::ReferenceCase reference_{case_folder(GetParam())};
  const parity::ReferenceTask task_{reference_};
  data::Example batch_;
};

TEST_P(TensorParallel, MatchesLossNormAndUpdateOfOneDevice) { expect_close(step_on({.tensor = 2}), step_on({})); }

class TensorParallelModel : public TensorParallel {};

TEST_P(TensorParallelModel, IsTheSameOnEveryMesh) {
  const auto wanted = step_on({});
  expect_close(step_on({.data = 2, .tensor = 2}), wanted);
  train::StepOptions options = in_micro_batches(2);
  options.remat = Remat::kLayers;
  expect_close(step_on({.fsdp = 2, .tensor = 2}, options), wanted);
  options.remat = Remat::kDots;
  expect_close(step_on({.data = 2, .fsdp = 2, .tensor = 2}, options, false), wanted);
}

TEST_P(TensorParallelModel, RefusesMoreDevicesThanHeads) {
  const train::Signature batch = train::signature_of(task_, batch_);
  const auto program = [&](int64_t tensor) { return train::step_program(task_, batch, {.mesh = {.tensor = tensor}}); };
  for (const int64_t tensor : {3, 8}) {
    EXPECT_THAT(message_of<UsageError>([&] { program(tensor); }),
                AllOf(HasSubstr("4 attention heads"), HasSubstr("1, 2, 4")));
  }
  if (reference_.model().config().has("num_key_value_heads")) {
    EXPECT_THAT(message_of<UsageError>([&] { program(4); }), HasSubstr("2 key/value heads"));
  } else if (is_in_small_sample(GetParam())) {  // one head for each device
    expect_close(step_on({.tensor = 4}), step_on({}));
  }
}

// The loss of devices that share a vocabulary of 100 tokens; no other size of these models is 100.
class SharedVocabulary : public TensorParallel {};

TEST_P(SharedVocabulary, IsNeverGathered) {
  const train::Signature batch = train::signature_of(task_, batch_);
  const auto has_logits = [&](int64_t tensor, DType dtype) {
    const train::StepProgram step =
        train::step_program(task_, batch, {.compute_dtype = dtype, .mesh = {.tensor = tensor}});
    const std::string text = to_stablehlo(step.function, {});
    return text.find("x100xf32>") != std::string::npos || text.find("x100xbf16>") != std::string::npos;
  };
  for (const DType dtype : {DType::kFloat32, DType::kBFloat16}) {
    EXPECT_TRUE(has_logits(1, dtype));
    EXPECT_FALSE(has_logits(2, dtype));
  }
}

// A step on devices along tensor drops the same elements as one device, with any gradient checkpointing or
// accumulation.
void expect_the_same_dropped(const Task& task, const data::Example& batch) {
  train::StepOptions options = in_micro_batches(1);
  const auto found = [&](const Mesh& mesh, uint32_t key = 1) {
    return step(Device({.mesh = mesh, .cache_folder = program_cache()}), task, batch, options, key);
  };
  const auto nothing_dropped = found({});
  options.dropout = true;
  const auto at_once = found({});
  EXPECT_NE(at_once, nothing_dropped);
  EXPECT_NE(found({}, 2), at_once);
  expect_close(found({.tensor = 2}), at_once);
  for (const Remat remat : {Remat::kLayers, Remat::kDots}) {
    options.remat = remat;
    expect_close(found({.tensor = 2}), at_once);
  }
  options.gradient_accumulation_steps = 2;
  expect_close(found({.tensor = 2}), found({}));
}

class DroppingModel : public TensorParallel {};

// Dropout in embeddings, in attention, and before additions to the residual stream.
TEST_P(DroppingModel, DropsTheSameElementsAsOneDevice) { expect_the_same_dropped(task_, batch_); }

// Dropout within the feed-forward layers, whose features the devices share.
TEST(TensorParallelModernBert, DropsTheSameFeaturesAsOneDevice) {
  const TemporaryFolder folder;
  std::filesystem::copy(case_folder("modernbert_mlm"), folder.path(), std::filesystem::copy_options::recursive);
  nlohmann::json config = nlohmann::json::parse(std::ifstream(folder / "config.json"));
  for (const auto& [name, value] : config.items()) {
    if (name.ends_with("dropout")) value = name == "mlp_dropout" ? 0.3 : 0.0;
  }
  std::ofstream(folder / "config.json") << config;
  const parity::ReferenceCase reference(folder.path());
  const parity::ReferenceTask task(reference);
  data::Example batch;
  for (const std::string& name : task.inputs()) batch.set(name, repeated(reference.inputs().tensor(name), 8));
  expect_the_same_dropped(task, batch);
}

// A causal language model with at most a part of the logits in memory.
class SlicedLanguageModel final : public Task {
 public:
  SlicedLanguageModel(const parity::ReferenceCase& reference, int64_t max_logits_bytes)
      : weights_(reference),
        model_(models::text_model(reference.model().config())),
        max_logits_bytes_(max_logits_bytes) {}

  std::vector<std::string> inputs() const override { return weights_.inputs(); }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value &ids = batch.at("input_ids"), &mask = batch.at("attention_mask");
    const Value x = model_->body().hidden_states(root, {.input_ids = ids, .attention_mask = mask}).back();
    const Value labels = tasks::next_labels(batch.at("labels"));
    const Value weights = full({DType::kFloat32, {labels.shape()[0]}}, 1);
    const tasks::LanguageModelHead head{
        .model = *model_, .kind = models::HeadKind::kCausalLM, .root = root, .max_logits_bytes = max_logits_bytes_};
    return tasks::objective_of_tokens(head, x, labels, [&](const tasks::TokenFigures& figures) {
      return tasks::language_modelling(figures, labels, weights);
    });
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override {
    return weights_.initial_weights(parameters, seed);
  }
  void save(const std::filesystem::path&) const override {}

 private:
  const parity::ReferenceTask weights_;
  const std::unique_ptr<const models::TextModel> model_;
  const int64_t max_logits_bytes_;
};

class SlicedLogits : public TensorParallel {};

TEST_P(SlicedLogits, GiveTheStepOfAllLogitsOnEveryMesh) {
  const SlicedLanguageModel whole(reference_, tasks::kMaxLogitsBytes), sliced(reference_, 1000);
  train::StepOptions options = in_micro_batches(1);
  const auto on = [&](const Task& task, const Mesh& mesh) {
    return step(Device({.mesh = mesh, .cache_folder = program_cache()}), task, batch_, options);
  };
  const auto wanted = on(whole, {});
  for (const Mesh& mesh : {Mesh{}, {.data = 2}, {.data = 2, .tensor = 2}}) {
    SCOPED_TRACE(to_string(mesh));
    expect_close(on(sliced, mesh), wanted);
  }
  options = in_micro_batches(2);
  options.remat = Remat::kLayers;
  for (const Mesh& mesh : {Mesh{}, {.fsdp = 2, .tensor = 2}}) {
    SCOPED_TRACE(to_string(mesh));
    expect_close(on(sliced, mesh), wanted);
  }
}

class TensorParallelAdapter : public ::testing::TestWithParam<std::string> {};

// A and B of a layer are whole or divided, as the features before and after them are.
TEST_P(TensorParallelAdapter, IsTheSameOnEveryMesh) {
  const parity::ReferenceCase reference(case_folder(GetParam(), "adapters"));
  const parity::ReferenceTask task(reference);
  data::Example batch;
  for (const std::string& name : task.inputs()) batch.set(name, repeated(reference.inputs().tensor(name), 8));
  train::StepOptions options = in_micro_batches(1);
  options.dropout = true;
  options.lora = reference.model().lora();
  options.lora->dropout = 0.2;
  const auto on = [&](const Mesh& mesh) {
    return step(Device({.mesh = mesh, .cache_folder = program_cache()}), task, batch, options);
  };
  const auto wanted = on({});
  expect_close(on({.tensor = 2}), wanted);
  options.remat = Remat::kLayers;
  expect_close(on({.tensor = 4}), wanted);
  options.dropout = false;
  const auto undropped = on({});
  expect_close(on({.data = 2, .fsdp = 2, .tensor = 2}), undropped);
  options.gradient_accumulation_steps = 2;
  expect_close(on({.fsdp = 2}), undropped);
}

INSTANTIATE_TEST_SUITE_P(Adapters, TensorParallelAdapter,
                         ::testing::Values("bert_all", "gpt2_all", "modernbert", "bert_dora", "gpt2_dora",
                                           "bert_biases", "opt_biases"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(LanguageModels, SharedVocabulary,
                         ::testing::Values("llama_lm", "gpt2_lm", "bert_mlm", "gemma2_lm"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Models, SlicedLogits, ::testing::Values("gpt2_lm", "llama_lm"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Models, DroppingModel, ::testing::Values("gpt2_lm"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Models, TensorParallel, ::testing::ValuesIn(cases_and_language_models()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Models, TensorParallelModel, ::testing::ValuesIn(cases_of_means()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace portatune::test
