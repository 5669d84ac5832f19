// A step in micro-batches does what it does with the whole batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portune/error.h"
#include "portune/packing.h"
#include "portune/text_classification.h"
#include "portune/train.h"
#include "portune/train/batch_shapes.h"
#include "portune/train/programs.h"
#include "tasks/sentences.h"

namespace portune::test {
namespace {

using ::testing::Contains;
using ::testing::FloatEq;
using ::testing::HasSubstr;

data::Dataset rows() {
  return data::from_examples({sentence("the film was good", "good"), sentence("bad", "bad"),
                              sentence("it was a good story", "good"), sentence("a bad play", "bad"),
                              sentence("we thought it was very good", "good"), sentence("the film was bad", "bad"),
                              sentence("good", "good"), sentence("it was a bad story", "bad"),
                              sentence("a good play", "good"), sentence("we thought it was very bad", "bad"),
                              sentence("a good film", "good")});
}

TextClassification task_from(const std::filesystem::path& folder) {
  return TextClassification(folder, {.max_length = 12, .labels = {"bad", "good"}});
}

// Loss, sum of weights, norm; then weights and moments: all floats of the step's results.
std::vector<std::vector<float>> step(const Device& device, const TextClassification& task, const data::Example& batch,
                                     int64_t parts) {
  // A large epsilon: with Adam's own, the sign alone of a gradient that is nearly 0 would decide about the update.
  const train::StepProgram program =
      train::step_program(task, train::signature_of(task, batch),
                          {.adam = {.eps = 1e-3}, .gradient_accumulation_steps = parts, .dropout = false});
  std::vector<Tensor> arguments = task.initial_weights(program.parameters, 1).values;
  for (int i = 0; i < 2; ++i) {
    for (const nn::Parameter& parameter : program.parameters) arguments.emplace_back(parameter.value.type());
  }
  for (const std::string& name : task.inputs()) arguments.push_back(batch.tensor(name));
  arguments.push_back(Tensor({3}, {0.01f, 10.0f, 1000.0f}));
  arguments.push_back(Tensor({2}, {1u, 2u}));
  std::vector<std::vector<float>> found;
  for (const Tensor& result : evaluate(program.function.results, program.function.parameters, arguments, device)) {
    found.push_back(to_floats(result.view()));
  }
  return found;
}

void expect_close(const std::vector<float>& found, const std::vector<float>& wanted, size_t index) {
  float largest = 0, difference = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    largest = std::max(largest, std::abs(wanted[i]));
    difference = std::max(difference, std::abs(found[i] - wanted[i]));
  }
  // Gradients of some biases, those of keys for one, are 0 but for rounding.
  EXPECT_LE(difference, 1e-5f * largest + 1e-9f) << "result " << index;
}

// Eleven rows in batches of 8: the last has 3, so that of four micro-batches one is half full and two are empty.
TEST(GradientAccumulation, GivesTheLossNormAndUpdateOfTheWholeBatch) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder cache;  // as both batches have the same programs
  for (const bool use_kernels : {true, false}) {
    const Device device({.cache_folder = cache.path(), .use_kernels = use_kernels});
    for (const data::Example& batch : task.batches(rows(), 8).iterate()) {
      const auto whole = step(device, task, batch, 1);
      for (const int64_t parts : {2, 4}) {
        const auto found = step(device, task, batch, parts);
        ASSERT_EQ(found.size(), whole.size());
        for (size_t i = 0; i < whole.size(); ++i) expect_close(found[i], whole[i], i);
      }
    }
  }
}

// The loss is the sum of dropout(x p), with dropout of one half.
class DropTask final : public Task {
 public:
  std::vector<std::string> inputs() const override { return {"x"}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value& x = batch.at("x");
    const Value p = root.parameter("p", {x.shape()[1]}, {});
    return {
        .loss_sum = sum(nn::dropout(root, x * p, 0.5)), .weight_sum = full({DType::kFloat32, {}}, 1), .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  void save(const std::filesystem::path&, std::span<const NamedTensorView>) const override {}
};

// The first moment of p, of 2 rows of ones in two micro-batches.
std::vector<float> first_moment(uint32_t key) {
  const TensorType p{DType::kFloat32, {64}}, x{DType::kFloat32, {2, 64}};
  const train::StepProgram program =
      train::step_program(DropTask(), {{"x", x}}, {.gradient_accumulation_steps = 2, .max_grad_norm = 0});
  const std::vector<float> ones(128, 1.0f);
  const auto results = evaluate(program.function.results, program.function.parameters,
                                {Tensor(p), Tensor(p), Tensor(p), Tensor({2, 64}, std::span<const float>(ones)),
                                 Tensor({3}, {0.0f, 10.0f, 1000.0f}), Tensor({2}, {key, 7u})});
  return to_floats(results[1].view());
}

TEST(GradientAccumulation, DropsOtherElementsInEachMicroBatchAndTheSameInEachRun) {
  const std::vector<float> found = first_moment(5);
  // Both weights of the micro-batches are 1, so the gradient is a mean: 0, 1 or 2, and 1 where one of two masks drops.
  EXPECT_THAT(found, Contains(FloatEq(0.1f)));
  EXPECT_EQ(first_moment(5), found);
  EXPECT_NE(first_moment(6), found);
}

template <class Thrown>
std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Thrown& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(GradientAccumulation, RefusesABatchThatCannotBeDivided) {
  const TextClassification task = task_from(kTinyBert);
  const data::Example batch = *task.batches(rows(), 6).iterate().next();
  const std::string text = message<UsageError>([&] { step(decompositions(), task, batch, 4); });
  EXPECT_THAT(text, HasSubstr("gradient_accumulation_steps"));
  EXPECT_THAT(text, HasSubstr("int32[6, 12]"));
}

TEST(GradientAccumulation, RefusesPackedBatches) {
  const TextClassification task = task_from(kTinyBert);
  const data::PackedShapes shapes{.examples = 4, .rows = {4}, .length = 12, .window = 4};
  const data::Example batch = *task.packed_batches(rows(), shapes, {.buffer = 4, .seed = 1}).iterate().next();
  const auto build = [&] {
    train::step_program(task, train::signature_of(task, batch), {.gradient_accumulation_steps = 2});
  };
  EXPECT_THAT(message<UsageError>(build), HasSubstr("packed"));
}

TEST(GradientAccumulation, IsThatOfTheRunWhichIsResumed) {
  const TextClassification task = task_from(kTinyBert);
  const TemporaryFolder folder;
  Trainer trainer(decompositions(), task, {.lr_scheduler_type = "constant", .gradient_accumulation_steps = 2});
  trainer.step(*task.batches(rows(), 4).iterate().next());
  trainer.save_checkpoint(folder / "saved");
  const TextClassification saved = task_from(folder / "saved");
  Trainer other(decompositions(), saved, {.lr_scheduler_type = "constant", .gradient_accumulation_steps = 4});
  EXPECT_THAT(message<UsageError>([&] { other.resume(folder / "saved"); }), HasSubstr("gradient_accumulation_steps 4"));
}

}  // namespace
}  // namespace portune::test
