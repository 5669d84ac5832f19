#include "portatune/kernels/cpu/update/embedding_grad.h"

#include "kernels/cpu/support.h"

namespace portatune::kernels {
namespace {

std::vector<int32_t> random_ids(int64_t tokens, int32_t vocab) {
  std::mt19937 bits(7);
  std::uniform_int_distribution<int32_t> id(0, vocab - 1);
  std::vector<int32_t> ids(static_cast<size_t>(tokens));
  for (int32_t& value : ids) value = id(bits);
  return ids;
}

template <class T>
class EmbeddingGrad : public testing::Test {};
using ElementTypes = testing::Types<float, Bfloat16>;
TYPED_TEST_SUITE(EmbeddingGrad, ElementTypes);

TYPED_TEST(EmbeddingGrad, AddsRowsAtTheirIdsAndClearsTheRest) {
  for (const EmbeddingGradShape shape :
       {EmbeddingGradShape{1, 1, 1}, {5, 3, 2}, {100, 33, 7}, {257, 31, 3001}, {64, 127, 20'000}}) {
    const auto dy = random_array<TypeParam>(shape.tokens * shape.width, 1);
    const auto ids = random_ids(shape.tokens, static_cast<int32_t>(shape.vocab));
    std::vector<double> expected(static_cast<size_t>(shape.vocab * shape.width));
    for (int64_t t = 0; t < shape.tokens; ++t) {
      for (int64_t j = 0; j < shape.width; ++j) {
        expected[static_cast<size_t>(ids[static_cast<size_t>(t)] * shape.width + j)] +=
            to_float(dy[static_cast<size_t>(t * shape.width + j)]);
      }
    }
    std::vector<float> given(expected.size(), 99);
    embedding_grad(TestWorkers(), shape, dy.data(), ids.data(), given.data());
    expect_close(given, expected, 1e-6);
  }
}

TEST(EmbeddingGradIds, AreIgnoredOutsideTheTable) {
  const std::vector<float> dy{1, 2, 4, 8};
  const std::vector<int32_t> ids{-1, 1, 2, 1};
  std::vector<float> given(2, 99);
  embedding_grad(CallerOnly(), {.tokens = 4, .width = 1, .vocab = 2}, dy.data(), ids.data(), given.data());
  EXPECT_EQ(given, (std::vector<float>{0, 10}));
}

}  // namespace
}  // namespace portatune::kernels
