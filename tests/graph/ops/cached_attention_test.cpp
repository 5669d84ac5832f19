#include "portatune/graph/ops/attention/cached_attention.h"

#include <gtest/gtest.h>

#include <limits>

#include "graph/ops/composites.h"
#include "runtime/pjrt/cpu.h"

namespace portatune::test {
namespace {

constexpr int64_t kCachedTexts = 3, kCachedLength = 5, kCachedHeads = 4, kCachedKvHeads = 2, kCachedHeadSize = 3;

// The rows that each text reads: its own, only others, and rows that two texts share.
const std::vector<int32_t> kCachedRows = {0, 0, 0, 0, 0, /* second text */ 0, 2, 2, 0, 1, /* third text */ 1,
                                          2, 0, 1, 2};

Tensor cached_rows() { return Tensor({kCachedTexts, kCachedLength}, std::span<const int32_t>(kCachedRows)); }

// Padding before the second text and free positions after all texts.
Tensor cached_bias() {
  Tensor values = f32({kCachedTexts, kCachedHeads, 1, kCachedLength}, 5);
  for (int64_t i = 0; i < kCachedTexts * kCachedHeads; ++i) {
    values.as<float>()[static_cast<size_t>(i * kCachedLength + kCachedLength - 1)] =
        std::numeric_limits<float>::lowest();
    if (i / kCachedHeads == 1)
      values.as<float>()[static_cast<size_t>(i * kCachedLength)] = std::numeric_limits<float>::lowest();
  }
  return values;
}

AttentionOptions cached_options(double softcap) {
  return {.heads = kCachedHeads, .scale = 0.5, .kv_heads = kCachedKvHeads, .softcap = softcap};
}

// x: q [texts, 1, heads * size]; k and v [texts, length, kv_heads * size]
Differentiable to_cache(double softcap) {
  return [softcap](const Values& x) {
    return cached_attention(x[0], x[1], x[2], constant(cached_bias()), constant(cached_rows()),
                            cached_options(softcap));
  };
}

// The same by attention() to keys and values that are gathered element by element.
Differentiable to_gathered(double softcap) {
  return [softcap](const Values& x) {
    const auto read = [](const Value& cache) {
      Values elements;
      for (int64_t text = 0; text < kCachedTexts; ++text) {
        for (int64_t j = 0; j < kCachedLength; ++j) {
          const int64_t row = kCachedRows[static_cast<size_t>(text * kCachedLength + j)];
          elements.push_back(slice(slice(cache, 0, {row, row + 1}), 1, {j, j + 1}));
        }
      }
      return reshape(concatenate(elements, 0), cache.shape());
    };
    return attention(x[0], read(x[1]), read(x[2]), constant(cached_bias()), cached_options(softcap));
  };
}

std::vector<Tensor> cached_inputs() {
  const Shape cache{kCachedTexts, kCachedLength, kCachedKvHeads * kCachedHeadSize};
  return {f32({kCachedTexts, 1, kCachedHeads * kCachedHeadSize}, 1), f32(cache, 2), f32(cache, 3)};
}

Differentiable in_bf16_with_cache(const Differentiable& f) {
  return in_bf16([f](const Values& x) { return f({x[0], convert(x[1], kBF16), convert(x[2], kBF16)}); });
}

class CachedAttention : public ::testing::TestWithParam<double> {};

TEST_P(CachedAttention, EqualsAttentionToTheRowsOfEachText) {
  Values x;
  for (const Tensor& input : cached_inputs()) x.push_back(parameter("x" + std::to_string(x.size()), input.type()));
  const Values results{to_cache(GetParam())(x), to_gathered(GetParam())(x)};
  for (const Device* device : {&decompositions(), &kernels()}) {
    const std::vector<Tensor> found = evaluate(results, x, cached_inputs(), *device);
    for (size_t i = 0; i < found[0].as<float>().size(); ++i) {
      ASSERT_NEAR(found[0].as<float>()[i], found[1].as<float>()[i], 1e-6) << "element " << i;
    }
  }
}

TEST_P(CachedAttention, KernelAgreesWithItsDecomposition) {
  const std::vector<std::string> names = {"portatune.cached_attention"};
  check_kernel(names, to_cache(GetParam()), cached_inputs(), 1e-5);
  check_kernel(names, in_bf16_with_cache(to_cache(GetParam())), cached_inputs(), 2e-2);
}

TEST_P(CachedAttention, GradientMatchesFiniteDifferences) {
  check_gradient(to_cache(GetParam()), cached_inputs(), kCoarse);
}

INSTANTIATE_TEST_SUITE_P(Softcap, CachedAttention, ::testing::Values(0.0, 1.5),
                         [](const auto& info) { return info.param > 0 ? "Capped" : "Plain"; });

TEST(CachedAttentionShapes, ErrorNamesTheOperands) {
  const Values x{constant(cached_inputs()[0]), constant(cached_inputs()[1]), constant(cached_inputs()[2])};
  const auto build = [&x](const Value& bias_of_keys, const Value& row_of_keys, AttentionOptions o) {
    return [&x, bias_of_keys, row_of_keys, o] { cached_attention(x[0], x[1], x[2], bias_of_keys, row_of_keys, o); };
  };
  const Value few_rows = constant(Tensor({kCachedTexts, 1}, {0, 0, 0}));
  expect_shape_error(build(constant(cached_bias()), few_rows, cached_options(0)),
                     {"int32[3, 1]", "rows int32 [texts, length]"});
  expect_shape_error(build(constant(f32({kCachedTexts, 1, 1, 2})), constant(cached_rows()), cached_options(0)),
                     {"[3, 1, 1, 2]", "a bias"});
  AttentionOptions with_band = cached_options(0);
  with_band.band.after = 0;
  expect_shape_error(build(constant(cached_bias()), constant(cached_rows()), with_band),
                     {"neither dropout nor a band"});
}

}  // namespace
}  // namespace portatune::test
