#include "portatune/run/options/run_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "portatune/error.h"

namespace portatune::run {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;
using testing::ThrowsMessage;

void expect_refused(const RunOptions& options, const std::string& name, const std::string& expected) {
  EXPECT_THAT([&] { check_options_of_run(options); },
              ThrowsMessage<UsageError>(AllOf(StartsWith(name + "\n"), HasSubstr("expected  " + expected))));
}

TEST(RunOptions, DefaultsAreAllowed) { EXPECT_NO_THROW(check_options_of_run({})); }

TEST(RunOptions, RangesAreCheckedAsOnTheCommandLine) {
  RunOptions options;
  options.batch_size = 0;
  expect_refused(options, "batch_size", "an integer of at least 1 and at most 1000000");
  options = {};
  options.training.max_grad_norm = -1;
  expect_refused(options, "max_grad_norm", "a finite number of at least 0");
  options = {};
  options.lora.dropout = 1;
  expect_refused(options, "lora_dropout", "a number of at least 0 and below 1");
  options = {};
  options.best_model.early_stopping_threshold = -1;
  expect_refused(options, "early_stopping_threshold", "a finite number of at least 0");
}

// tests/oracle/train/make_step_intervals.py
TEST(RunOptions, PartsOfStepsAreRoundedAsInTransformers) {
  const auto golden = nlohmann::json::parse(std::ifstream(PORTATUNE_TEST_DATA "/train/step_intervals.json"));
  for (const auto& expected : golden["intervals"]) {
    const StepInterval interval = expected["value"].get<double>();
    EXPECT_EQ(interval.of(expected["total"]), expected["steps"]) << expected;
  }
  EXPECT_EQ(StepInterval().of(10), 0);
}

TEST(RunOptions, StepsAreWholeNumbersOrPartsOfAllSteps) {
  RunOptions options;
  for (const double value : {-1.0, 2.5, 1e13, std::nan("")}) {
    options.eval_steps = value;
    expect_refused(options, "eval_steps", "a number of steps, or a part of all steps below 1");
  }
  for (const double value : {0.1, 1.0, 500.0}) {
    options.eval_steps = value;
    EXPECT_NO_THROW(check_options_of_run(options));
  }
  using Type = OptionType<StepInterval>;
  EXPECT_EQ(Type::text(100'000), "100000");
  EXPECT_EQ(Type::text(0.1), "0.1");
  EXPECT_EQ(Type::read("1.0"), StepInterval(1));
}

// Runs check them before they read a row.
TEST(RunOptions, OptionsOfTheTrainingThatContradictEachOtherAreRefused) {
  RunOptions options;
  options.training.warmup_steps = 10;
  options.training.warmup_ratio = 0.1;
  expect_refused(options, "warmup_ratio", "one of the two");
  options = {};
  options.training.nesterov = true;
  expect_refused(options, "nesterov", "optim sgd");
}

// Earlier checkpoints have these names and values.
TEST(RunOptions, FactsAreThoseOfEarlierCheckpoints) {
  EXPECT_THAT(facts_in(RunOptions{}), ElementsAre(Pair("batch_size", "32")));
  RunOptions options;
  options.shuffle_buffer = 7;
  options.validation_split = 0.1;
  options.max_train_samples = 5;
  EXPECT_THAT(facts_in(options), ElementsAre(Pair("batch_size", "32"), Pair("max_train_samples", "5"),
                                             Pair("shuffle_buffer", "7"), Pair("validation_split", "0.1")));
}

}  // namespace
}  // namespace portatune::run
