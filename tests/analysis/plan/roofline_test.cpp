#include "portatune/analysis/plan/roofline.h"

#include <gtest/gtest.h>

namespace portatune::plan {
namespace {

const Peaks kPeaks = {.float32 = 100, .bfloat16 = 400, .bytes = 10};

TEST(Roofline, Float16HasThePeakOfBfloat16) {
  EXPECT_DOUBLE_EQ(roofline({.flops = {{DType::kFloat16, 2000}}, .bytes = 0}, kPeaks).compute_s, 5);
}

TEST(Roofline, EachTypeHasItsPeak) {
  const Estimate estimate =
      roofline({.flops = {{DType::kFloat32, 200}, {DType::kBFloat16, 2000}}, .bytes = 20}, kPeaks);
  EXPECT_DOUBLE_EQ(estimate.compute_s, 2 + 5);
  EXPECT_DOUBLE_EQ(estimate.memory_s, 2);
  EXPECT_DOUBLE_EQ(estimate.seconds(), 7);
}

TEST(Roofline, MemoryBoundStepsTakeTheTimeOfTheirBytes) {
  const Estimate estimate = roofline({.flops = {{DType::kFloat32, 100}}, .bytes = 40}, kPeaks);
  EXPECT_DOUBLE_EQ(estimate.seconds(), 4);
}

TEST(Roofline, LinksBoundStepsThatSendMuch) {
  Peaks linked = kPeaks;
  const Work work = {.flops = {{DType::kFloat32, 100}}, .bytes = 40, .sent_bytes = 60};
  EXPECT_DOUBLE_EQ(roofline(work, linked).seconds(), 4) << "within one memory";
  linked.links = 5;
  EXPECT_DOUBLE_EQ(roofline(work, linked).exchange_s, 12);
  EXPECT_DOUBLE_EQ(roofline(work, linked).seconds(), 12);
}

TEST(Roofline, SumsUpAllTypes) {
  const Work work = {.flops = {{DType::kFloat32, 3}, {DType::kBFloat16, 4}}, .bytes = 0};
  EXPECT_DOUBLE_EQ(work.all_flops(), 7);
}

}  // namespace
}  // namespace portatune::plan
