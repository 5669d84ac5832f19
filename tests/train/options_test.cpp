#include "portatune/train/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/train/optimizers.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

template <class Options>
void expect_refused(const Options& options, const std::string& option, const std::string& given) {
  EXPECT_THAT(message_of<UsageError>([&] { train::check(options); }),
              AllOf(::testing::StartsWith(option + "\n"), HasSubstr("given     " + given)));
}

TEST(TrainingOptions, DefaultsAndLimitsAreAllowed) {
  train::check(TrainingOptions());
  train::check(TrainingOptions{.learning_rate = 0,
                               .lr_scheduler_type = "constant",
                               .adam_beta1 = 0,
                               .adam_beta2 = 0,
                               .max_grad_norm = 0,
                               .dtype = DType::kBFloat16});
}

TEST(TrainingOptions, ErrorForNumbersOutOfRangeNamesThem) {
  expect_refused(TrainingOptions{.learning_rate = -1e-5}, "learning_rate", "-1e-05");
  expect_refused(TrainingOptions{.learning_rate = kNan}, "learning_rate", "nan");
  expect_refused(TrainingOptions{.learning_rate = kInfinity}, "learning_rate", "inf");
  expect_refused(TrainingOptions{.learning_rate = 1e39}, "learning_rate", "1e+39");  // infinite as a float32
  expect_refused(TrainingOptions{.warmup_steps = -1}, "warmup_steps", "-1");
  expect_refused(TrainingOptions{.weight_decay = -0.01}, "weight_decay", "-0.01");
  expect_refused(TrainingOptions{.weight_decay = kNan}, "weight_decay", "nan");
  expect_refused(TrainingOptions{.max_grad_norm = -1}, "max_grad_norm", "-1");
  expect_refused(TrainingOptions{.max_grad_value = -1}, "max_grad_value", "-1");
  expect_refused(TrainingOptions{.total_steps = -3}, "total_steps", "-3");
  expect_refused(TrainingOptions{.lr_scheduler_type = "sine"}, "lr_scheduler_type", "sine");
}

TEST(TrainingOptions, BetasAreBelow1) {
  expect_refused(TrainingOptions{.adam_beta1 = 1}, "adam_beta1", "1");
  expect_refused(TrainingOptions{.adam_beta1 = -0.5}, "adam_beta1", "-0.5");
  expect_refused(TrainingOptions{.adam_beta2 = kNan}, "adam_beta2", "nan");
  expect_refused(TrainingOptions{.adam_beta2 = 1 - 1e-12}, "adam_beta2", "0.999999999999");  // 1 as a float32
}

TEST(TrainingOptions, EpsilonIsAbove0) {
  expect_refused(TrainingOptions{.adam_epsilon = 0}, "adam_epsilon", "0");
  expect_refused(TrainingOptions{.adam_epsilon = -1e-8}, "adam_epsilon", "-1e-08");
  expect_refused(TrainingOptions{.adam_epsilon = 1e-60}, "adam_epsilon", "1e-60");  // 0 as a float32
  expect_refused(TrainingOptions{.adam_epsilon = kInfinity}, "adam_epsilon", "inf");
}

TEST(TrainingOptions, ComputeInAFloatTypeOf32Or16Bits) {
  train::check(TrainingOptions{.dtype = DType::kFloat16});
  expect_refused(TrainingOptions{.dtype = DType::kInt32}, "dtype", "int32");
  expect_refused(TrainingOptions{.dtype = DType::kFloat64}, "dtype", "float64");
}

TEST(TrainingOptions, ReachTheStep) {
  const train::StepOptions step = train::step_options({.max_grad_norm = 2,
                                                       .max_grad_value = 0.5,
                                                       .dtype = DType::kBFloat16,
                                                       .on_non_finite = OnNonFinite::kSkip,
                                                       .gradient_accumulation_steps = 3,
                                                       .remat = Remat::kDots});
  EXPECT_EQ(step.max_grad_norm, 2);
  EXPECT_EQ(step.max_grad_value, 0.5);
  EXPECT_EQ(step.compute_dtype, DType::kBFloat16);
  EXPECT_EQ(step.on_non_finite, OnNonFinite::kSkip);
  EXPECT_EQ(step.gradient_accumulation_steps, 3);
  EXPECT_EQ(step.remat, Remat::kDots);
}

// One update of a matrix of ones with gradient 1: {weight, slots...}.
std::vector<float> update_of(const TrainingOptions& options) {
  const std::unique_ptr<const optim::Optimizer> optimizer = train::optimizer_of(options);
  const auto filled = [](double value) { return full({DType::kFloat32, {1, 1}}, value); };
  const auto scalar = [](double value) { return full({DType::kFloat32, {}}, value); };
  const optim::UpdateRule rule = optimizer->rule(
      {.learning_rate = scalar(0.1), .updates = scalar(1), .factor = scalar(1), .makes_update = scalar(1)});
  optim::Update before{.weight = filled(1), .slots = {}};
  for (const optim::Slot& slot : optimizer->slots(2)) {
    before.slots.push_back(full({DType::kFloat32, slot.shape({1, 1})}, 0));
  }
  const optim::Update after = rule(before, filled(1), {});
  Values results{after.weight};
  results.insert(results.end(), after.slots.begin(), after.slots.end());
  std::vector<float> found;
  for (const Tensor& result : evaluate(results)) found.push_back(result.as<float>()[0]);
  return found;
}

TEST(TrainingOptions, ReachAdamW) {
  EXPECT_THAT(update_of({.weight_decay = 0.5, .adam_beta1 = 0.8, .adam_beta2 = 0.95}),
              ElementsAre(FloatEq(0.95f - 0.1f), FloatEq(0.2f), FloatEq(0.05f)));
  EXPECT_THAT(update_of({.adam_epsilon = 1}), ElementsAre(FloatEq(0.95f), FloatEq(0.1f), FloatNear(0.001f, 1e-8f)));
}

// The first step has the momentum 1; Nesterov adds 0.9 of it to the gradient.
TEST(TrainingOptions, ReachSgd) {
  EXPECT_THAT(update_of({.weight_decay = 0.5, .optim = "sgd"}), ElementsAre(FloatEq(1 - 0.15f)));
  EXPECT_THAT(update_of({.optim = "sgd", .momentum = 0.9, .nesterov = true}), ElementsAre(FloatEq(1 - 0.19f), 1));
}

TEST(TrainingOptions, ReachTheOtherOptimizers) {
  const TrainingOptions common{.weight_decay = 0.5, .adam_beta1 = 0.8, .adam_beta2 = 0.5, .adam_epsilon = 1};
  const auto with = [&](const char* optim) {
    TrainingOptions options = common;
    options.optim = optim;
    return update_of(options);
  };
  EXPECT_THAT(with("adam"), ElementsAre(FloatEq(1 - 0.1f * 1.5f / 2.5f), FloatEq(0.3f), FloatEq(1.125f)));
  EXPECT_THAT(with("lamb"), ElementsAre(FloatEq(0.9f), FloatEq(0.2f), FloatEq(0.5f)));
  EXPECT_THAT(with("lion"), ElementsAre(FloatEq(0.85f), FloatEq(0.5f)));
  EXPECT_THAT(with("adafactor"), ElementsAre(FloatEq(0.85f), FloatEq(1), FloatEq(1)));
}

// The gradient is 1: the means are 1 - alpha, the variance alpha * (1 - alpha).
TEST(TrainingOptions, ReachRmsProp) {
  TrainingOptions options{.optim = "rmsprop", .adam_epsilon = 0.5, .rmsprop_alpha = 0.75};
  EXPECT_THAT(update_of(options), ElementsAre(FloatEq(1 - 0.1f), FloatEq(0.25f)));
  options.momentum = 0.9;
  options.rmsprop_centered = true;
  EXPECT_THAT(update_of(options), ElementsAre(FloatNear(1 - 0.1f / (0.4330127f + 0.5f), 1e-6f), FloatEq(0.25f),
                                              FloatNear(1 / (0.4330127f + 0.5f), 1e-5f), FloatEq(0.25f)));
}

TEST(TrainingOptions, OptimizerIsKnownAndHasItsOwnOptions) {
  expect_refused(TrainingOptions{.optim = "adagrad"}, "optim", "adagrad");
  expect_refused(TrainingOptions{.optim = "adamw_hf"}, "optim", "adamw_hf");  // a name for the command line alone
  expect_refused(TrainingOptions{.momentum = 0.9}, "momentum", "an option of SGD and RMSprop, with optim adamw_torch");
  expect_refused(TrainingOptions{.nesterov = true}, "nesterov", "an option of SGD, with optim adamw_torch");
  expect_refused(TrainingOptions{.optim = "sgd", .momentum = 1}, "momentum", "1");
  expect_refused(TrainingOptions{.optim = "sgd", .nesterov = true}, "nesterov", "momentum 0");
  expect_refused(TrainingOptions{.optim = "sgd", .rmsprop_centered = true}, "rmsprop_centered",
                 "an option of RMSprop, with optim sgd");
  expect_refused(TrainingOptions{.rmsprop_alpha = 0.9}, "rmsprop_alpha",
                 "an option of RMSprop, with optim adamw_torch");
}

TEST(FitOptions, HaveAtLeastOneEpochAndACountableNumberOfSteps) {
  train::check(FitOptions{});
  expect_refused(FitOptions{.num_train_epochs = 0}, "num_train_epochs", "0");
  expect_refused(FitOptions{.steps_per_epoch = -1}, "steps_per_epoch", "-1");
  expect_refused(FitOptions{.max_steps = -1}, "max_steps", "-1");
  expect_refused(FitOptions{.num_train_epochs = 1 << 20, .steps_per_epoch = int64_t{1} << 50}, "steps_per_epoch",
                 "1125899906842624 in 1048576 epochs");
}

TEST(FitOptions, CheckpointsNeedAFolder) {
  expect_refused(FitOptions{.checkpoints = {.every = 10}}, "checkpoints.folder", "none");
  expect_refused(FitOptions{.checkpoints = {.every = -1}}, "checkpoints.every", "-1");
  expect_refused(FitOptions{.checkpoints = {.keep = 0}}, "checkpoints.keep", "0");
}

TEST(FitOptions, TheBestModelNeedsAnEvaluationWithinTheRun) {
  FitOptions options{.validation = {{.batches = data::from_examples({})}},
                     .best_model = {.load_at_end = true},
                     .checkpoints = {.folder = "checkpoints"}};
  options.eval_delay = 3;
  train::check(options);  // 3 epochs, each one pass over the data
  options.eval_delay = 3.5;
  expect_refused(options, "eval_delay", "3.5");
  options.max_steps = 20;
  train::check(options);  // the number of epochs depends on the data
  options.steps_per_epoch = 10;
  expect_refused(options, "eval_delay", "3.5");
  options.eval_steps = 5;
  train::check(options);
  options.steps_per_epoch = 0;
  options.eval_delay = 21;
  expect_refused(options, "eval_delay", "21");
  options.max_steps = 0;
  train::check(options);
}

TEST(FitOptions, NoValidationSetHasTheNameOfTheAverages) {
  const FitOptions options{.validation = {{.batches = data::from_examples({}), .name = "ema"}}};
  train::check(options);
  EXPECT_THAT(message_of<UsageError>([&] { train::check(options, {.ema = 0.9}); }), HasSubstr("the name ema"));
}

}  // namespace
}  // namespace portatune::test
