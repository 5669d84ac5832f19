#include "portatune/io/pytorch/strided_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

namespace portatune::io {
namespace {

using ::testing::ElementsAre;
using Strides = std::vector<int64_t>;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// A view of 0, 1, 2, ...
struct View {
  std::vector<int32_t> storage = std::vector<int32_t>(24);
  StridedTensor tensor;

  View(Shape shape, Strides strides, size_t offset = 0) {
    std::iota(storage.begin(), storage.end(), 0);
    tensor = {.type = {DType::kInt32, std::move(shape)},
              .strides = std::move(strides),
              .data = reinterpret_cast<const std::byte*>(storage.data() + offset)};
  }
};

TEST(StridedTensor, NeedsTheElementsUpToTheLast) {
  EXPECT_EQ(extent_of({}, {}, 5), 6);
  EXPECT_EQ(extent_of({2, 3}, {3, 1}, 0), 6);
  EXPECT_EQ(extent_of({2, 3}, {1, 10}, 4), 26);
  EXPECT_EQ(extent_of({2, 3}, {0, 0}, 4), 5);
  EXPECT_EQ(extent_of({1, 3}, {kMax, 1}, 0), 3);
}

TEST(StridedTensor, WithoutElementsNeedsNone) {
  EXPECT_EQ(extent_of({0}, {1}, 7), 0);
  EXPECT_EQ(extent_of({3, 0}, {100, 1}, 0), 0);
}

TEST(StridedTensor, HasNoExtentThatOverflows) {
  EXPECT_EQ(extent_of({kMax}, {1}, 0), std::nullopt);
  EXPECT_EQ(extent_of({kMax, kMax}, {0, 0}, 0), std::nullopt);
  EXPECT_EQ(extent_of({0, kMax, kMax}, {0, 0, 0}, 0), std::nullopt);
  EXPECT_EQ(extent_of({2}, {kMax}, 1), std::nullopt);
  EXPECT_EQ(extent_of({}, {}, kMax), std::nullopt);
  EXPECT_EQ(extent_of({3}, {kMax / 2 + 1}, 0), std::nullopt);
}

TEST(StridedTensor, IsContiguousInRowMajorOrder) {
  EXPECT_TRUE(is_contiguous(View({}, {}).tensor));
  EXPECT_TRUE(is_contiguous(View({2, 3}, {3, 1}).tensor));
  EXPECT_TRUE(is_contiguous(View({2, 1, 3}, {3, 99, 1}).tensor));
  EXPECT_TRUE(is_contiguous(View({0, 3}, {5, 7}).tensor));
  EXPECT_FALSE(is_contiguous(View({2, 3}, {1, 2}).tensor));
  EXPECT_FALSE(is_contiguous(View({2, 3}, {4, 1}).tensor));
  EXPECT_FALSE(is_contiguous(View({2}, {0}).tensor));
}

TEST(StridedTensor, IsGatheredInRowMajorOrder) {
  EXPECT_THAT(gather(View({2, 3}, {1, 2}).tensor).as<int32_t>(), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(gather(View({3}, {7}, 2).tensor).as<int32_t>(), ElementsAre(2, 9, 16));
  EXPECT_THAT(gather(View({2, 2, 2}, {1, 12, 4}).tensor).as<int32_t>(), ElementsAre(0, 4, 12, 16, 1, 5, 13, 17));
  EXPECT_THAT(gather(View({2, 2}, {0, 1}, 3).tensor).as<int32_t>(), ElementsAre(3, 4, 3, 4));
}

}  // namespace
}  // namespace portatune::io
