#include "portatune/analysis/parity/run_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/evaluate.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/ops.h"

namespace portatune::parity {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr DType kFloat32 = DType::kFloat32, kBFloat16 = DType::kBFloat16;

// The factor of c in the loss: in the first run, and in bfloat16.
struct SmallFactors {
  double first = 1e-9, second = -1e-9;
};

// The loss of an example x is x (a + k b + e c), where k is 1 and e a small factor; in bfloat16 k is the fault and e
// the second factor. The gradients are therefore the mean x, k times the mean, and e times the mean.
class Faulty final : public Task {
 public:
  explicit Faulty(double fault = 1.01, SmallFactors small = {}) : fault_(fault), small_(small) {}

  std::vector<std::string> inputs() const override { return {"x"}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value& x = batch.at("x");
    const Shape row{1, x.shape()[1]};
    const Value a = root.parameter("a", row, {}), b = root.parameter("b", row, {}), c = root.parameter("c", row, {});
    const bool coarse = root.options().compute_dtype == kBFloat16;
    const Value weights = a + b * (coarse ? fault_ : 1.0) + c * (coarse ? small_.second : small_.first);
    return {.loss_sum = sum(x * weights),
            .weight_sum = full({kFloat32, {}}, static_cast<double>(x.shape()[0])),
            .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  void save(const std::filesystem::path&) const override {}

 private:
  const double fault_;
  const SmallFactors small_;
};

// Two rows with the mean (1, 2, 3, 4).
data::Dataset batches(float first = 0) {
  data::Example batch;
  batch.set("x", Tensor({2, 4}, {first, 2.0f, 3.0f, 4.0f, 2.0f, 2.0f, 3.0f, 4.0f}));
  return data::from_examples({batch});
}

TrainingOptions constant_rate(DType dtype = kFloat32, double rate = 0.01) {
  return {.learning_rate = rate, .lr_scheduler_type = "constant", .max_grad_norm = 0, .dtype = dtype};
}

RunComparison compare(const Task& task, const TrainingOptions& first, const TrainingOptions& second,
                      const RunComparisonOptions& options = {.steps = 3}, const data::Dataset& data = batches()) {
  const Device& device = test::decompositions();
  return compare_runs(task, {device, first}, {device, second}, data, options);
}

std::vector<std::string> names_of(const std::vector<Drift>& drifts) {
  std::vector<std::string> names;
  for (const Drift& drift : drifts) names.push_back(drift.tensor);
  return names;
}

TEST(CompareRuns, FindsNoDriftInTheSameRunTwice) {
  const RunComparison result = compare(Faulty(), constant_rate(), constant_rate());
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.max_loss_apart(), 0);
  ASSERT_EQ(result.steps.size(), 3u);
  EXPECT_THAT(names_of(result.gradients), ElementsAre("a", "b", "c"));
  for (const Drift& gradient : result.gradients) EXPECT_EQ(gradient.apart, 0) << gradient.tensor;
  // Each step moves every element by 0.01 against its gradient; the elements of the gradient sum to 10.
  EXPECT_NEAR(result.steps[0].loss[0], 0, 1e-9);
  EXPECT_NEAR(result.steps[1].loss[0], -0.2, 1e-6);
  EXPECT_NEAR(result.steps[2].loss[1], -0.4, 1e-6);
  EXPECT_NEAR(result.steps[2].grad_norm[1], std::sqrt(60.0), 1e-5);
}

TEST(CompareRuns, NamesTheTensorWhoseGradientDrifts) {
  const RunComparison result =
      compare(Faulty(), constant_rate(), constant_rate(kBFloat16), {.steps = 3, .tolerance = kFloat32});
  EXPECT_FALSE(result.passed());
  ASSERT_EQ(result.first_beyond.size(), 1u);
  const Drift& first = result.first_beyond.front();
  EXPECT_EQ(first.kind, Drift::Kind::kGradient);
  EXPECT_EQ(first.tensor, "b");
  EXPECT_EQ(first.step, 1);
  EXPECT_NEAR(first.apart, 0.01 / 1.01, 1e-6);
  EXPECT_FALSE(first.passed());
  EXPECT_LT(result.gradients[0].apart, 1e-6);
  EXPECT_NEAR(result.gradients[1].apart, 0.01 / 1.01, 1e-6);
}

TEST(CompareRuns, ReportsLargestAndMeanLossDistance) {
  const RunComparison result = compare(Faulty(), constant_rate(), constant_rate(kBFloat16), {.steps = 3});
  // Losses are 0, -0.2 and -0.4 in the first run; half of each comes from b, which counts 1.01 times in the second.
  EXPECT_NEAR(result.max_loss_apart(), 0.01 / 2.01, 1e-5);
  EXPECT_NEAR(result.mean_loss_apart(), 0.01 / 2.01 * 2 / 3, 1e-5);
  EXPECT_FALSE(result.passed()) << "with float32's tolerance";
  EXPECT_TRUE(compare(Faulty(), constant_rate(), constant_rate(kBFloat16), {.tolerance = kBFloat16}).passed());
}

// Adam makes whole steps of such gradients, here in opposite directions.
TEST(CompareRuns, IgnoresParametersWithTinyGradients) {
  const RunComparison result = compare(Faulty(1), constant_rate(), constant_rate(kBFloat16), {.tolerance = kFloat32});
  EXPECT_TRUE(result.passed());
  EXPECT_THAT(names_of(result.gradients), ElementsAre("a", "b", "c"));
  EXPECT_THAT(names_of(result.parameters), ElementsAre("a", "b"));
}

// The largest gradient of the model is 4, and those of c differ by 2e-7 of it.
TEST(CompareRuns, AllowsRoundingOfAZeroGradient) {
  const RunComparison result =
      compare(Faulty(1, {1e-7, -1e-7}), constant_rate(), constant_rate(kBFloat16), {.tolerance = kFloat32});
  EXPECT_TRUE(result.passed()) << result.first_beyond.front().apart;
}

TEST(CompareRuns, FindsDriftInASmallGradient) {
  for (const SmallFactors& small : {SmallFactors{1e-5, -1e-5}, SmallFactors{1e-3, 1.01e-3}}) {
    const RunComparison result =
        compare(Faulty(1, small), constant_rate(), constant_rate(kBFloat16), {.steps = 3, .tolerance = kFloat32});
    EXPECT_FALSE(result.passed());
    ASSERT_FALSE(result.first_beyond.empty());
    EXPECT_EQ(result.first_beyond.front().tensor, "c");
    EXPECT_EQ(result.first_beyond.front().step, 1);
  }
}

// Losses and norms agree: the factors have the same square, and c is zero before the first step.
TEST(CompareRuns, StepWithDriftHasNotPassed) {
  const RunComparison result =
      compare(Faulty(1, {1e-5, -1e-5}), constant_rate(), constant_rate(kBFloat16), {.steps = 1, .tolerance = kFloat32});
  ASSERT_EQ(result.steps.size(), 1u);
  EXPECT_LE(result.steps[0].loss_apart(), result.tolerance.loss);
  EXPECT_LE(result.steps[0].grad_norm_apart(), result.tolerance.grad_norm);
  EXPECT_FALSE(result.steps[0].passed(result.tolerance));
}

// The loss sums x a and y b, but b counts with the other sign in bfloat16. x grows, so that the gradient of b becomes
// small beside that of a.
class Growing final : public Task {
 public:
  std::vector<std::string> inputs() const override { return {"x", "y"}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Shape row{1, 4};
    const Value a = root.parameter("a", row, {}), b = root.parameter("b", row, {});
    const double sign = root.options().compute_dtype == kBFloat16 ? -1 : 1;
    return {.loss_sum = sum(batch.at("x") * a) + sum(batch.at("y") * b) * sign,
            .weight_sum = full({kFloat32, {}}, 1),
            .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  void save(const std::filesystem::path&) const override {}
};

TEST(CompareRuns, IgnoresParametersWithSmallGradientsInLaterSteps) {
  std::vector<data::Example> growing(2);
  for (size_t i = 0; i < 2; ++i) {
    const float x = i == 0 ? 1.0f : 1e7f;
    growing[i].set("x", Tensor({1, 4}, {x, x, x, x})).set("y", Tensor({1, 4}, {1.0f, 1.0f, 1.0f, 1.0f}));
  }
  const auto beyond = [&](int64_t steps) {
    std::vector<Drift::Kind> kinds;
    const RunComparison result = compare(Growing(), constant_rate(), constant_rate(kBFloat16),
                                         {.steps = steps, .tolerance = kFloat32}, data::from_examples(growing));
    EXPECT_THAT(names_of(result.first_beyond), testing::Each("b"));
    for (const Drift& drift : result.first_beyond) kinds.push_back(drift.kind);
    return kinds;
  };
  EXPECT_THAT(beyond(1), ElementsAre(Drift::Kind::kGradient, Drift::Kind::kParameter));
  EXPECT_THAT(beyond(2), ElementsAre(Drift::Kind::kGradient));
}

TEST(CompareRuns, NamesTheParameterThatDriftsWithEqualGradients) {
  const RunComparison result = compare(Faulty(), constant_rate(kFloat32, 0.01), constant_rate(kFloat32, 0.02));
  ASSERT_THAT(names_of(result.first_beyond), ElementsAre("a", "b"));
  const Drift& first = result.first_beyond.front();
  EXPECT_EQ(first.kind, Drift::Kind::kParameter);
  EXPECT_EQ(first.step, 1);
  EXPECT_NEAR(first.apart, 1, 1e-5);  // 0.01 apart after a step of 0.01
}

TEST(CompareRuns, ComparesTensorsInTheFirstEveryNthAndLastStep) {
  const RunComparison result = compare(Faulty(), constant_rate(), constant_rate(), {.steps = 7, .every = 3});
  std::vector<int64_t> compared;
  for (const ComparedStep& step : result.steps) {
    if (step.has_tensors) compared.push_back(step.step);
  }
  EXPECT_THAT(compared, ElementsAre(1, 3, 6, 7));
}

TEST(CompareRuns, StopsAtANonFiniteRunAndNamesIt) {
  const RunComparison result = compare(Faulty(std::numeric_limits<double>::quiet_NaN()), constant_rate(),
                                       constant_rate(kBFloat16), {.tolerance = kBFloat16});
  EXPECT_FALSE(result.passed());
  ASSERT_TRUE(result.not_finite);
  EXPECT_EQ(result.not_finite->run, 1);
  EXPECT_EQ(result.not_finite->step, 1);
  EXPECT_EQ(result.not_finite->first, "the loss");
  EXPECT_EQ(result.steps.size(), 1);
  EXPECT_TRUE(std::isinf(result.max_loss_apart()));
}

TEST(CompareRuns, ErrorForTwoNonFiniteRunsNamesTheStep) {
  try {
    compare(Faulty(), constant_rate(), constant_rate(), {.steps = 3}, batches(std::numeric_limits<float>::infinity()));
    ADD_FAILURE() << "no error";
  } catch (const NumericError& error) {
    EXPECT_THAT(error.what(), HasSubstr("step 1"));
  }
}

TEST(CompareRuns, RejectsDataWithoutABatch) {
  EXPECT_THROW(compare(Faulty(), constant_rate(), constant_rate(), {.steps = 3}, data::from_examples({})), DataError);
}

TEST(CompareRuns, StopsOnRequest) {
  StopSource stop;
  const StopScope scope(stop.token());
  stop.request_stop();
  EXPECT_THROW(compare(Faulty(), constant_rate(), constant_rate()), Stopped);
}

}  // namespace
}  // namespace portatune::parity
