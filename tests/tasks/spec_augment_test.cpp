#include "portatune/tasks/rows/spec_augment.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace portatune::tasks {
namespace {

using models::MaskedSpans;

int64_t masked_in(const Tensor& mask) { return std::ranges::count(mask.as<int32_t>(), 1); }

// The means of _compute_mask_indices in transformers over 40,000 draws of one row of 99 frames.
TEST(MaskedSpans, MaskAsManyFramesAsTransformers) {
  const std::vector<std::pair<MaskedSpans, double>> means = {{{.prob = 0.05, .length = 4, .min_masks = 1}, 4.903},
                                                             {{.prob = 0.05, .length = 10, .min_masks = 2}, 19.037},
                                                             {{.prob = 0.3, .length = 10}, 26.933}};
  constexpr int kDraws = 40'000;
  for (const auto& [spans, mean] : means) {
    int64_t masked = 0;
    for (int i = 0; i < kDraws; ++i) masked += masked_in(masked_spans(spans, 99, 99, static_cast<uint64_t>(i)));
    EXPECT_NEAR(static_cast<double>(masked) / kDraws, mean, 0.1);
  }
}

TEST(MaskedSpans, DependOnTheKeyAlone) {
  const MaskedSpans spans{.prob = 0.3, .length = 5};
  const auto mask = [&](uint64_t key) {
    const Tensor drawn = masked_spans(spans, 60, 60, key);
    const auto values = drawn.as<int32_t>();
    return std::vector<int32_t>(values.begin(), values.end());
  };
  EXPECT_EQ(mask(1), mask(1));
  EXPECT_NE(mask(1), mask(2));
}

TEST(MaskedSpans, StayWithinTheRealPart) {
  const MaskedSpans spans{.prob = 0.9, .length = 3, .min_masks = 2};
  for (uint64_t key = 0; key < 50; ++key) {
    const Tensor mask = masked_spans(spans, 20, 9, key);
    EXPECT_GE(masked_in(mask), 3);
    EXPECT_EQ(std::ranges::count(mask.as<int32_t>().subspan(9), 1), 0);
  }
}

TEST(MaskedSpans, NeedRoomForASpan) {
  const MaskedSpans spans{.prob = 1, .length = 10, .min_masks = 2};
  EXPECT_EQ(masked_in(masked_spans(spans, 20, 9, 1)), 0);
  EXPECT_EQ(masked_in(masked_spans(spans, 20, 10, 1)), 10);
  EXPECT_EQ(masked_in(masked_spans(spans, 9, 9, 1)), 0);
}

TEST(SampledNegatives, AreOtherMaskedFramesWithEqualProbabilities) {
  const std::vector<int32_t> mask = {0, 1, 1, 0, 1, 1};
  constexpr int64_t kCount = 30'000;
  const Tensor negatives = sampled_negatives(mask, kCount, 5);
  const auto of_frame = [&](int64_t frame) {
    return negatives.as<int32_t>().subspan(static_cast<size_t>(frame * kCount), kCount);
  };
  for (const int64_t own : {1, 2, 4, 5}) {
    for (const int32_t other : {0, 1, 2, 3, 4, 5}) {
      const bool counts = other != own && mask[static_cast<size_t>(other)] != 0;
      EXPECT_NEAR(static_cast<double>(std::ranges::count(of_frame(own), other)) / kCount, counts ? 1.0 / 3 : 0, 0.02);
    }
  }
  EXPECT_EQ(std::ranges::count(of_frame(3), 0), kCount);
  EXPECT_EQ(sampled_negatives(std::vector<int32_t>{0, 0}, 4, 5).shape(), (Shape{2, 4}));
}

}  // namespace
}  // namespace portatune::tasks
