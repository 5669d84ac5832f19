#include "portatune/train/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/options.h"
#include "portatune/train/plateau.h"

namespace portatune::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// The options of a case of tests/oracle/train/make_schedule_cases.py.
TrainingOptions options_of(const json& expected, double learning_rate) {
  TrainingOptions options{.learning_rate = learning_rate,
                          .lr_scheduler_type = expected["name"],
                          .warmup_steps = expected["warmup_steps"].get<double>()};
  const json& parameters = expected["parameters"];
  const auto read = [&](const char* name, auto& value) {
    if (parameters.contains(name)) value = parameters[name].get<std::decay_t<decltype(*value)>>();
  };
  ScheduleOptions& o = options.schedule;
  read("num_cycles", o.num_cycles);
  read("power", o.power);
  read("lr_end", o.lr_end);
  read("min_lr", o.min_lr);
  read("min_lr_ratio", o.min_lr_ratio);
  read("timescale", o.timescale);
  read("num_stable_steps", o.num_stable_steps);
  read("num_decay_steps", o.num_decay_steps);
  read("decay_type", o.decay_type);
  return options;
}

// Equal to the last digit, but for the last bits of cos and pow, which differ between C libraries.
TEST(Schedule, RatesEqualTransformers) {
  const json golden = json::parse(std::ifstream(PORTATUNE_TEST_DATA "/train/schedules.json"));
  std::set<std::string> names;
  for (const json& expected : golden["cases"]) {
    const TrainingOptions options = options_of(expected, golden["learning_rate"]);
    SCOPED_TRACE(expected.dump());
    train::check_schedule(options);
    for (int64_t step = 1; step <= golden["total_steps"]; ++step) {
      EXPECT_DOUBLE_EQ(train::learning_rate(options, {step, golden["total_steps"]}), expected["rates"][step - 1])
          << "step " << step;
    }
    names.insert(options.lr_scheduler_type);
  }
  names.insert(train::kReduceOnPlateau);  // see plateau_test.cpp
  EXPECT_THAT(train::schedule_names(), testing::UnorderedElementsAreArray(names));
}

TEST(Schedule, WarmupRatioIsAPartOfAllStepsRoundedUp) {
  const TrainingOptions ratio{.lr_scheduler_type = "constant_with_warmup", .warmup_ratio = 0.25};
  EXPECT_EQ(train::warmup_steps(ratio, 10), 3);
  EXPECT_EQ(train::warmup_steps({.warmup_steps = 7}, 10), 7);
  EXPECT_EQ(train::warmup_steps({.warmup_steps = 0.25}, 10), 3);
  const TrainingOptions steps{.lr_scheduler_type = "constant_with_warmup", .warmup_steps = 3};
  for (const int64_t step : {1, 3, 4}) {
    EXPECT_EQ(train::learning_rate(ratio, {step, 10}), train::learning_rate(steps, {step, 10}));
  }
  EXPECT_TRUE(train::depends_on_total_steps(ratio));
  EXPECT_FALSE(train::depends_on_total_steps(steps));
}

TEST(Schedule, StaysAtItsEndAfterTheLastStep) {
  for (const char* name : {"linear", "cosine_with_restarts"}) {
    EXPECT_EQ(train::learning_rate({.lr_scheduler_type = name}, {3, 2}), 0) << name;
  }
  EXPECT_DOUBLE_EQ(train::learning_rate({.lr_scheduler_type = "polynomial", .warmup_steps = 2}, {3, 2}), 1e-7);
  EXPECT_EQ(
      train::learning_rate({.lr_scheduler_type = "warmup_stable_decay", .schedule = {.num_decay_steps = 1}}, {3, 2}),
      0);
}

void expect_refused_schedule(const TrainingOptions& options, const std::string& option, const std::string& text) {
  EXPECT_THAT(message_of<UsageError>([&] { train::check(options); }),
              testing::AllOf(testing::StartsWith(option + "\n"), HasSubstr(text)));
}

TEST(Schedule, RefusesParametersOfOthers) {
  expect_refused_schedule({.lr_scheduler_type = "cosine_annealing"}, "lr_scheduler_type", "cosine_annealing");
  expect_refused_schedule({.schedule = {.power = 2}}, "lr_power", "2, with lr_scheduler_type linear");
  expect_refused_schedule({.lr_scheduler_type = "warmup_stable_decay"}, "lr_decay_steps", "none");
  expect_refused_schedule({.lr_scheduler_type = "cosine_with_min_lr"}, "lr_min_ratio", "none");
  expect_refused_schedule(
      {.lr_scheduler_type = "cosine_with_min_lr", .schedule = {.min_lr_ratio = 0.1, .min_lr = 1e-6}}, "lr_min_ratio",
      "one of the two");
}

TEST(Schedule, RefusesValuesOutOfRange) {
  expect_refused_schedule({.lr_scheduler_type = "cosine", .schedule = {.num_cycles = -1}}, "lr_num_cycles", "-1");
  expect_refused_schedule({.lr_scheduler_type = "polynomial", .schedule = {.power = NAN}}, "lr_power", "nan");
  expect_refused_schedule({.lr_scheduler_type = "polynomial", .schedule = {.lr_end = 1}}, "lr_end",
                          "below learning_rate");
  expect_refused_schedule({.learning_rate = 0, .lr_scheduler_type = "polynomial"}, "lr_end", "below learning_rate");
  expect_refused_schedule({.lr_scheduler_type = "inverse_sqrt", .schedule = {.timescale = 0}}, "lr_timescale", "0");
  expect_refused_schedule(
      {.lr_scheduler_type = "warmup_stable_decay", .schedule = {.num_decay_steps = 1, .decay_type = "exp"}},
      "lr_decay_type", "exp");
}

TEST(Schedule, HasOneWarmUp) {
  expect_refused_schedule({.warmup_steps = 1, .warmup_ratio = 0.1}, "warmup_ratio", "one of the two");
  expect_refused_schedule({.warmup_ratio = 1}, "warmup_ratio", "below 1");
  expect_refused_schedule({.lr_scheduler_type = "constant", .warmup_steps = 1}, "warmup_steps", "constant_with_warmup");
}

TEST(Schedule, ItsOptionsAreFactsOfARun) {
  const std::map<std::string, std::string> facts = train::facts_of(
      {.lr_scheduler_type = "polynomial", .warmup_ratio = 0.5, .schedule = {.power = 2, .lr_end = 0}}, {});
  EXPECT_EQ(facts.at("power"), "2");
  EXPECT_EQ(facts.at("lr_end"), "0");
  EXPECT_EQ(facts.at("warmup_ratio"), "0.5");
  EXPECT_FALSE(facts.contains("num_cycles"));
}

// Earlier checkpoints have this name for both.
TEST(Schedule, ConstantWithWarmUpIsConstantInCheckpoints) {
  EXPECT_EQ(train::facts_of({.lr_scheduler_type = "constant_with_warmup"}, {}).at("lr_scheduler_type"), "constant");
}

TEST(RandomKey, DependsOnSeedAndStep) {
  std::set<std::pair<uint32_t, uint32_t>> keys;
  std::set<uint32_t> first_halves;
  for (const uint64_t seed : {0, 1, 42}) {
    for (int64_t step = 1; step <= 1000; ++step) {
      const Tensor key = train::random_key(seed, step);
      keys.emplace(key.as<uint32_t>()[0], key.as<uint32_t>()[1]);
      first_halves.insert(key.as<uint32_t>()[0]);
    }
  }
  EXPECT_EQ(keys.size(), 3000u);
  // Masks are independent if the first halves differ; of 3000 random ones a pair may be equal by chance.
  EXPECT_GE(first_halves.size(), 2998u);
}

TEST(RandomKey, IsSplitMix64) {
  // The first output of SplitMix64 for seed 0, from its authors' code.
  const Tensor key = train::random_key(0, 1);
  EXPECT_EQ(key.as<uint32_t>()[0], 0x7B1DCDAFu);
  EXPECT_EQ(key.as<uint32_t>()[1], 0xE220A839u);
}

}  // namespace
}  // namespace portatune::test
