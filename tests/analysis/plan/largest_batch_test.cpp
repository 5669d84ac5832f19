#include "portatune/analysis/plan/largest_batch.h"

#include <gtest/gtest.h>

#include <set>

namespace portatune::plan {
namespace {

constexpr int64_t kLimit = 1 << 20;

// Memory of a step. Counts its calls, and expects each size at most once.
class Fake {
 public:
  explicit Fake(MemoryOfBatch memory) : memory_(std::move(memory)) {}
  MemoryOfBatch function() {
    return [this](int64_t size) {
      EXPECT_GE(size, 1);
      EXPECT_LE(size, kLimit);
      EXPECT_TRUE(asked_.insert(size).second) << size;
      return memory_(size);
    };
  }
  size_t calls() const { return asked_.size(); }

 private:
  MemoryOfBatch memory_;
  std::set<int64_t> asked_;
};

TEST(LargestBatch, PredictsBatchesLinearly) {
  Fake fake([](int64_t size) { return 1000 + 10 * size; });
  const LargestBatch found = largest_batch(fake.function(), 8000, 32, kLimit, 12);
  EXPECT_EQ(found.fits, 700);
  ASSERT_TRUE(found.too_large);
  EXPECT_LE(*found.too_large, 700 + 700 / 32);
  EXPECT_LE(fake.calls(), 4u);
}

TEST(LargestBatch, FindsSmallerBatches) {
  Fake fake([](int64_t size) { return 1000 + 10 * size; });
  const LargestBatch found = largest_batch(fake.function(), 1105, 256, kLimit, 12);
  EXPECT_EQ(found.fits, 10);
  EXPECT_EQ(found.too_large, 11);
}

TEST(LargestBatch, BisectsWithoutMemoryFromTheCompiler) {
  for (const int64_t truth : {1, 2, 3, 31, 32, 33, 100, 999}) {
    Fake fake([&](int64_t size) { return size > truth ? std::nullopt : std::optional<int64_t>(0); });
    const LargestBatch found = largest_batch(fake.function(), 1, 32, kLimit, 40);
    EXPECT_LE(found.fits, truth);
    ASSERT_TRUE(found.too_large);
    EXPECT_GT(*found.too_large, truth);
    EXPECT_LE(*found.too_large - found.fits, std::max<int64_t>(1, found.fits / 32)) << truth;
  }
}

// Memory with the steps that padding to tiles causes, and a refusal far below the predicted limit.
TEST(LargestBatch, FindsTheBatchOnCurves) {
  Fake fake([](int64_t size) -> std::optional<int64_t> {
    if (size > 200) return std::nullopt;
    return 100 * ((size + 7) / 8 * 8);
  });
  const LargestBatch found = largest_batch(fake.function(), 1'000'000, 16, kLimit, 40);
  EXPECT_LE(found.fits, 200);
  EXPECT_GT(found.too_large.value(), 200);
  EXPECT_LE(*found.too_large - found.fits, 6);
}

TEST(LargestBatch, ReportsThatNothingFits) {
  Fake fake([](int64_t) { return std::nullopt; });
  const LargestBatch found = largest_batch(fake.function(), 100, 32, kLimit, 12);
  EXPECT_EQ(found.fits, 0);
  EXPECT_EQ(found.too_large, 1);
}

TEST(LargestBatch, ReportsThatEverythingFits) {
  Fake fake([](int64_t size) { return size; });
  const LargestBatch found = largest_batch(fake.function(), 1 << 30, 32, kLimit, 12);
  EXPECT_EQ(found.fits, kLimit);
  EXPECT_FALSE(found.too_large);
}

TEST(LargestBatch, LimitsCompilations) {
  Fake fake([](int64_t size) { return size > 12345 ? std::nullopt : std::optional<int64_t>(0); });
  const LargestBatch found = largest_batch(fake.function(), 1, 1, kLimit, 5);
  EXPECT_EQ(fake.calls(), 5u);
  EXPECT_EQ(found.fits, 16);
}

}  // namespace
}  // namespace portatune::plan
