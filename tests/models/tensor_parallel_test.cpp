// Devices that share the heads and features of layers: for every architecture, and for every head over the vocabulary,
// a step on them gives the loss, norm, weights and moments of one device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "models/cases.h"
#include "portune/error.h"
#include "portune/parity/optimizer_steps.h"
#include "portune/parity/reference_task.h"
#include "train/one_step.h"

namespace portune::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The case of each architecture that has optimizer steps.
std::vector<std::string> whole_cases() {
  std::vector<std::string> names = case_names();
  std::erase_if(
      names, [](const std::string& name) { return parity::ReferenceCase(case_folder(name)).names("after5").empty(); });
  return names;
}

// Those, and all of language models.
std::vector<std::string> cases_and_language_models() {
  const std::vector<std::string> whole = whole_cases();
  std::vector<std::string> names = case_names();
  std::erase_if(names, [&](const std::string& name) {
    const std::string architecture = parity::ReferenceCase(case_folder(name)).architecture();
    const bool has_vocabulary =
        std::ranges::any_of(std::array{"ForMaskedLM", "ForPreTraining", "ForCausalLM", "LMHeadModel"},
                            [&](const char* head) { return architecture.ends_with(head); });
    return !has_vocabulary && !std::ranges::binary_search(whole, name);
  });
  return names;
}

// As many rows as are asked for, those of the case over and over.
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
    const Device device({.mesh = mesh, .use_cache = false, .use_kernels = use_kernels});
    return step(device, task_, batch_, options);
  }

  const parity::ReferenceCase reference_{case_folder(GetParam())};
  const parity::ReferenceTask task_{reference_};
  data::Example batch_;
};

TEST_P(TensorParallel, GivesTheLossNormAndUpdateOfOneDevice) { expect_close(step_on({.tensor = 2}), step_on({})); }

class TensorParallelModel : public TensorParallel {};

TEST_P(TensorParallelModel, GivesTheSameOnEveryMesh) {
  const auto wanted = step_on({});
  train::StepOptions options = in_micro_batches(2);
  options.remat = Remat::kLayers;
  expect_close(step_on({.fsdp = 2, .tensor = 2}, options), wanted);
  options.remat = Remat::kDots;
  expect_close(step_on({.data = 2, .fsdp = 2, .tensor = 2}, options, false), wanted);
}

TEST_P(TensorParallelModel, SharesAsManyHeadsAsThereAre) {
  const train::Signature batch = train::signature_of(task_, batch_);
  const auto program = [&](int64_t tensor) { return train::step_program(task_, batch, {.mesh = {.tensor = tensor}}); };
  for (const int64_t tensor : {3, 8}) {
    EXPECT_THAT(message_of<UsageError>([&] { program(tensor); }),
                AllOf(HasSubstr("4 attention heads"), HasSubstr("1, 2, 4")));
  }
  if (reference_.model().config().has("num_key_value_heads")) {
    EXPECT_THAT(message_of<UsageError>([&] { program(4); }), HasSubstr("2 key/value heads"));
  } else {
    expect_close(step_on({.tensor = 4}), step_on({}));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, TensorParallel, ::testing::ValuesIn(cases_and_language_models()),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Models, TensorParallelModel, ::testing::ValuesIn(whole_cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace portune::test
