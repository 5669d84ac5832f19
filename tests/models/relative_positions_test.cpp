#include "portatune/models/relative_positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"

namespace portatune::test {
namespace {

using models::LogBuckets;
using models::RelativeBuckets;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

template <class Buckets>
std::vector<int64_t> buckets_of(const Buckets& buckets) {
  std::vector<int64_t> found;
  for (const int64_t distance :
       {-300, -128, -127, -100, -40, -17, -16, -12, -9, -8, -7, -1, 0, 1, 7, 8, 9, 20, 64, 90, 91, 127, 128, 1000}) {
    found.push_back(buckets.bucket_of(distance));
  }
  return found;
}

// T5Attention._relative_position_bucket() of transformers 5.23 for these distances.
TEST(RelativeBuckets, AreThoseOfTransformers) {
  EXPECT_THAT(buckets_of(RelativeBuckets{32, 128, true}),
              ElementsAre(15, 15, 15, 15, 12, 10, 10, 9, 8, 8, 7, 1, 0, 17, 23, 24, 24, 26, 30, 30, 31, 31, 31, 31));
  EXPECT_THAT(buckets_of(RelativeBuckets{32, 128, false}),
              ElementsAre(31, 31, 31, 30, 23, 16, 16, 12, 9, 8, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(buckets_of(RelativeBuckets{6, 7, false}),
              ElementsAre(5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

// make_log_bucket_position() of transformers 5.23 for these distances.
TEST(LogBuckets, AreThoseOfTransformers) {
  EXPECT_THAT(buckets_of(LogBuckets{256, 512}), ElementsAre(-207, -128, -127, -100, -40, -17, -16, -12, -9, -8, -7, -1,
                                                            0, 1, 7, 8, 9, 20, 64, 90, 91, 127, 128, 317));
  EXPECT_THAT(buckets_of(LogBuckets{8, 32}),
              ElementsAre(-11, -10, -10, -9, -8, -7, -7, -6, -6, -6, -5, -1, 0, 1, 5, 6, 6, 7, 9, 9, 9, 10, 10, 13));
  EXPECT_THAT(buckets_of(LogBuckets{4, 8}),
              ElementsAre(-6, -6, -6, -6, -5, -4, -4, -4, -4, -4, -3, -1, 0, 1, 3, 4, 4, 4, 5, 6, 6, 6, 6, 7));
}

TEST(LogBuckets, KeepDistancesWithoutBuckets) {
  EXPECT_EQ((LogBuckets{-1, 5}.bucket_of(300)), 300);
  EXPECT_EQ((LogBuckets{0, 5}.bucket_of(-7)), -7);
}

// Element (i, j) of each head is x at j - i + query - 1.
std::vector<double> by_index(const Tensor& x, int64_t query, int64_t kv) {
  const int64_t heads = x.shape()[0], width = x.shape()[1];
  std::vector<double> values;
  for (int64_t head = 0; head < heads; ++head) {
    for (int64_t i = 0; i < query; ++i) {
      for (int64_t j = 0; j < kv; ++j) {
        values.push_back(x.as<double>()[static_cast<size_t>(head * width + j - i + query - 1)]);
      }
    }
  }
  return values;
}

TEST(Toeplitz, RepeatsADiagonal) {
  for (const auto& [query, kv] : {std::pair<int64_t, int64_t>{3, 5}, {4, 2}, {1, 4}, {3, 1}, {1, 1}}) {
    const Tensor x = random(Shape{2, query + kv - 1});
    EXPECT_THAT(elements(models::toeplitz(constant(x), query, kv)), ElementsAreArray(by_index(x, query, kv)))
        << query << ", " << kv;
  }
}

TEST(Toeplitz, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return models::toeplitz(x[0], 3, 4); }, {random(Shape{2, 6})});
}

// Element (i, j) of each matrix is x at (i, j - i + query - 1).
TEST(Shear, MovesEachRowByItsIndex) {
  for (const auto& [query, kv] : {std::pair<int64_t, int64_t>{3, 5}, {4, 2}, {1, 4}, {3, 1}, {1, 1}}) {
    const Tensor x = random(Shape{2, query, query + kv});
    std::vector<double> wanted;
    for (int64_t row = 0; row < 2 * query; ++row) {
      const int64_t first = row * (query + kv) + query - 1 - row % query;
      for (int64_t j = 0; j < kv; ++j) wanted.push_back(x.as<double>()[static_cast<size_t>(first + j)]);
    }
    EXPECT_THAT(elements(models::shear(constant(x))), ElementsAreArray(wanted)) << query << ", " << kv;
  }
}

TEST(Shear, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return models::shear(x[0]); }, {random(Shape{2, 3, 7})});
}

// A query at each position sees its row of the bias.
TEST(RelativeBias, OfOnePositionIsARowOfAll) {
  constexpr int64_t kLength = 5, kHeads = 3;
  const models::RelativeBias bias{.buckets = {6, 4, false}, .heads = kHeads};
  nn::Context context({});
  const nn::Scope s(context);
  const Value all = relative_bias(s, bias, kLength);
  Values rows;
  for (int32_t i = 0; i < kLength; ++i) {
    rows.push_back(relative_bias_at(s, bias, kLength, constant(Tensor({}, {i}))));
  }
  ASSERT_EQ(context.parameters().size(), 1u);
  const nn::Parameter& weight = context.parameters().front();
  const Tensor values = random(TensorType{DType::kFloat32, {6, kHeads}});
  const auto found = evaluate({all, concatenate(rows, 2)}, {weight.value}, {values});
  EXPECT_EQ(found[0].shape(), (Shape{1, kHeads, kLength, kLength}));
  EXPECT_EQ(to_floats(found[0].view()), to_floats(found[1].view()));
}

}  // namespace
}  // namespace portatune::test
