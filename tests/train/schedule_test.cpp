#include "portatune/train/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "io/temporary_folder.h"
#include "portatune/error.h"

// Expected rates: transformers 5.23.0, get_linear_schedule_with_warmup and get_constant_schedule_with_warmup.
namespace portatune::test {
namespace {

using ::testing::HasSubstr;

void expect_rates(const TrainingOptions& options, int64_t total, const std::vector<double>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(train::learning_rate(options, static_cast<int64_t>(i) + 1, total), wanted[i], 1e-15)
        << "step " << i + 1;
  }
}

TEST(Schedule, LinearDecayEqualsTransformers) {
  expect_rates({.learning_rate = 0.1}, 10, {0.1, 0.09, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.02, 0.01});
  expect_rates({.learning_rate = 0.1, .warmup_steps = 3}, 10,
               {0.0, 0.03333333333333333, 0.06666666666666667, 0.1, 0.08571428571428572, 0.07142857142857144,
                0.05714285714285714, 0.04285714285714286, 0.02857142857142857, 0.014285714285714285});
}

TEST(Schedule, WarmUpMayFillOrOutlastTheRun) {
  expect_rates({.learning_rate = 0.1, .warmup_steps = 4}, 4, {0.0, 0.025, 0.05, 0.075});
  expect_rates({.learning_rate = 0.1, .warmup_steps = 5}, 3, {0.0, 0.02, 0.04});
}

TEST(Schedule, StaysAtZeroAfterTheLastStep) { expect_rates({.learning_rate = 0.1}, 2, {0.1, 0.05, 0, 0}); }

TEST(Schedule, ConstantStaysAfterWarmUp) {
  expect_rates({.learning_rate = 0.1, .lr_scheduler_type = "constant"}, 3, {0.1, 0.1, 0.1});
  expect_rates({.learning_rate = 0.1, .lr_scheduler_type = "constant", .warmup_steps = 3}, 6,
               {0.0, 0.03333333333333333, 0.06666666666666667, 0.1, 0.1, 0.1});
}

TEST(Schedule, RejectsUnknownNamesDuringWarmUpToo) {
  for (const int64_t warmup : {0, 5}) {
    const TrainingOptions options{.lr_scheduler_type = "cosine", .warmup_steps = warmup};
    EXPECT_THAT(message_of<UsageError>([&] { train::learning_rate(options, 1, 10); }), HasSubstr("\"cosine\""));
  }
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
