#include "portatune/models/seq2seq/relative_positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"

namespace portatune::test {
namespace {

using models::RelativeBuckets;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<int64_t> buckets_of(const RelativeBuckets& buckets) {
  std::vector<int64_t> found;
  for (const int64_t distance :
       {-300, -128, -127, -100, -40, -17, -16, -12, -9, -8, -7, -1, 0, 1, 7, 8, 9, 20, 64, 90, 91, 127, 128, 1000}) {
    found.push_back(buckets.bucket_of(distance));
  }
  return found;
}

// T5Attention._relative_position_bucket() of transformers 5.23 for these distances.
TEST(RelativeBuckets, AreThoseOfTransformers) {
  EXPECT_THAT(buckets_of({32, 128, true}),
              ElementsAre(15, 15, 15, 15, 12, 10, 10, 9, 8, 8, 7, 1, 0, 17, 23, 24, 24, 26, 30, 30, 31, 31, 31, 31));
  EXPECT_THAT(buckets_of({32, 128, false}),
              ElementsAre(31, 31, 31, 30, 23, 16, 16, 12, 9, 8, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(buckets_of({6, 7, false}),
              ElementsAre(5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
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
