// block_sparse_attention() equals attention() with the logarithms of how often a query sees a key as a bias.
#include "portatune/graph/ops/attention/block_sparse_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/ops/composites.h"
#include "portatune/graph/matrix_flops.h"
#include "runtime/pjrt/cpu.h"

namespace portatune::test {
namespace {

constexpr int64_t kBatch = 2, kHeads = 2, kBlocks = 7, kBlockSize = 3, kSize = 4;
constexpr int64_t kLength = kBlocks * kBlockSize, kMiddle = kBlocks - 2;

// Blocks of random numbers [heads, blocks - 2, 2]: new ones, the first, the last, a neighbour, and one twice.
const std::vector<int32_t> kRandom = {3, 5, 0, 6, 2, 4, 1, 1, 6, 3, /* second head */ 4, 4, 5, 0, 0, 0, 2, 6, 1, 3};

Tensor random_blocks() { return Tensor({kHeads, kMiddle, 2}, std::span<const int32_t>(kRandom)); }

// A bias by key: padding at the end of the second text, other numbers elsewhere.
Tensor bias() {
  Tensor values = f32({kBatch, 1, 1, kLength}, 7);
  for (int64_t i = kLength - 5; i < kLength; ++i) values.as<float>()[static_cast<size_t>(kLength + i)] = -10000;
  return values;
}

// The number of times that a block of queries of a head sees a block of keys.
int64_t count(int64_t head, int64_t query, int64_t key, const BlockSparseOptions& o) {
  if (query == 0 || query == kBlocks - 1) return 1;
  int64_t times = key == 0 || key == kBlocks - 1 || std::abs(key - query) <= 1 ? 1 : 0;
  if (key == 0) times += o.first_again;
  for (int64_t i = 0; i < o.random_blocks; ++i) {
    times += kRandom[static_cast<size_t>((head * kMiddle + query - 1) * 2 + i)] == key;
  }
  return times;
}

// The same as a bias for all pairs of tokens, [batch, heads, length, length].
Tensor dense_bias(const BlockSparseOptions& o) {
  const Tensor by_key = bias();
  Tensor dense({DType::kFloat32, {kBatch, kHeads, kLength, kLength}});
  auto element = dense.as<float>().begin();
  for (int64_t b = 0; b < kBatch; ++b) {
    for (int64_t h = 0; h < kHeads; ++h) {
      for (int64_t i = 0; i < kLength; ++i) {
        for (int64_t j = 0; j < kLength; ++j, ++element) {
          const int64_t times = count(h, i / kBlockSize, j / kBlockSize, o);
          const float seen =
              by_key.as<float>()[static_cast<size_t>(b * kLength + j)] + std::log(static_cast<float>(times));
          *element = times == 0 ? std::numeric_limits<float>::lowest() : seen;
        }
      }
    }
  }
  return dense;
}

BlockSparseOptions options(int64_t random, int64_t first_again) {
  return {.heads = kHeads, .block_size = kBlockSize, .scale = 0.5, .random_blocks = random, .first_again = first_again};
}

// Attention of q, k and v, x[0] to x[2].
Differentiable sparse(const BlockSparseOptions& o) {
  return [o](const Values& x) {
    const DType dtype = x[0].dtype();
    const Value random = o.random_blocks == 0 ? Value() : constant(random_blocks());
    return block_sparse_attention(x[0] * 3, convert(x[1], dtype), convert(x[2], dtype), constant(bias()), random, o);
  };
}

Differentiable dense(const BlockSparseOptions& o) {
  return [o](const Values& x) {
    return attention(x[0] * 3, x[1], x[2], constant(dense_bias(o)), {.heads = kHeads, .scale = o.scale});
  };
}

std::vector<Tensor> inputs() {
  const Shape shape{kBatch, kLength, kHeads * kSize};
  return {f32(shape, 1), f32(shape, 2), f32(shape, 3)};
}

// The result and the gradients of a weighted sum of it.
std::vector<Tensor> results_of(const Differentiable& f, const Device& device) {
  Values x;
  for (const Tensor& input : inputs()) x.push_back(parameter("x" + std::to_string(x.size()), input.type()));
  const Value out = f(x);
  Values results = gradients(sum(out * constant(f32(out.shape(), 9))), x);
  results.insert(results.begin(), out);
  return evaluate(results, x, inputs(), device);
}

class BlockSparseAttention : public ::testing::TestWithParam<BlockSparseOptions> {};

TEST_P(BlockSparseAttention, EqualsDenseAttentionWithTheLogOfCounts) {
  const std::vector<Tensor> wanted = results_of(dense(GetParam()), decompositions());
  for (const Device* device : {&decompositions(), &kernels()}) {
    const std::vector<Tensor> found = results_of(sparse(GetParam()), *device);
    for (size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(found[i].shape(), wanted[i].shape());
      for (size_t j = 0; j < wanted[i].as<float>().size(); ++j) {
        ASSERT_NEAR(found[i].as<float>()[j], wanted[i].as<float>()[j], 5e-6) << "array " << i << ", element " << j;
      }
    }
  }
}

TEST_P(BlockSparseAttention, KernelAgreesWithItsDecomposition) {
  const std::vector<std::string> names = {"portatune.block_attention", "portatune.block_attention_grad"};
  check_kernel(names, sparse(GetParam()), inputs(), 1e-5);
  check_kernel(names, in_bf16(sparse(GetParam())), inputs(), 2e-2);
}

INSTANTIATE_TEST_SUITE_P(Options, BlockSparseAttention, ::testing::Values(options(0, 0), options(0, 3), options(2, 0)),
                         [](const auto& info) {
                           const BlockSparseOptions& o = info.param;
                           return std::to_string(o.random_blocks) + "Random" + std::to_string(o.first_again) + "Again";
                         });

TEST(BlockSparse, CostsAreLinearInTheLength) {
  const auto flops = [](int64_t blocks) {
    const TensorType type{kF32, {1, blocks * 8, 16}};
    const Value q = parameter("q", type), bias = full({kF32, {1, 1, 1, blocks * 8}}, 0);
    const Value out = block_sparse_attention(q, q * 2, q * 3, bias, {}, {.heads = 2, .block_size = 8, .scale = 1});
    return matrix_flops({.parameters = {q}, .results = {out}}).at(kF32);
  };
  // Each of the blocks - 2 middle blocks has products with 5 blocks, the two others with all blocks.
  EXPECT_DOUBLE_EQ(flops(64) / flops(16), (62.0 * 5 + 2 * 64) / (14.0 * 5 + 2 * 16));
}

// Without kernels, the gradients of a part of the heads are computed at a time.
TEST(BlockSparse, TemporariesOfGradientsAreThoseOfAPartOfTheHeads) {
  const auto temporary_bytes = [](int64_t heads) {
    const TensorType type{kF32, {1, 32 * 16, heads * 8}};
    const Value q = parameter("q", type), k = parameter("k", type), v = parameter("v", type);
    const Value dout = parameter("dout", type), bias = full({kF32, {1, 1, 1, 32 * 16}}, 0);
    const Value out = block_sparse_attention(q, k, v, bias, {}, {.heads = heads, .block_size = 16, .scale = 1});
    const Function function{.parameters = {q, k, v, dout}, .results = gradients(sum(out * dout), Values{q, k, v})};
    return pjrt::cpu_client().compile(to_stablehlo(function, {})).executable().memory_stats().temporary;
  };
  EXPECT_LT(temporary_bytes(8), 3 * temporary_bytes(2));
}

TEST(BlockSparse, ErrorNamesTheSizes) {
  const Value x = constant(f32({1, 20, 8})), bias = constant(f32({1, 1, 1, 20}));
  const auto build = [&](const BlockSparseOptions& o, const Value& random = {}) {
    return [&x, &bias, o, random] { block_sparse_attention(x, x, x, bias, random, o); };
  };
  expect_shape_error(build({.heads = 3, .block_size = 4}), {"[1, 20, 8]", "3 heads"});
  expect_shape_error(build({.heads = 2, .block_size = 8}), {"[1, 20, 8]", "whole blocks", "blocks of 8"});
  expect_shape_error(build({.heads = 2, .block_size = 5}), {"at least 5 whole blocks", "blocks of 5"});
  expect_shape_error(
      build({.heads = 2, .block_size = 4, .random_blocks = 2}, constant(Tensor({2, 3, 1}, {1, 1, 1, 1, 1, 1}))),
      {"int32[2, 3, 1]", "random_blocks"});
}

}  // namespace
}  // namespace portatune::test
