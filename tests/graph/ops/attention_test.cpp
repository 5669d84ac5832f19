// attention: against a loop over heads, queries and keys, and central differences; its kernels against its
// decomposition.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/ops/composites.h"
#include "portatune/error.h"
#include "portatune/graph/ops/attention/cudnn_attention.h"

namespace portatune::test {

constexpr float kLowest = std::numeric_limits<float>::lowest();

// A float32 mask [batch, 1, 1, kv] with which each row of the batch sees one key less than the previous one.
Tensor some_keys_hidden(int64_t batch, int64_t kv) {
  Tensor bias({kF32, {batch, 1, 1, kv}});
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t k = kv - b; k < kv; ++k) bias.as<float>()[static_cast<size_t>(b * kv + k)] = kLowest;
  }
  return bias;
}

struct Setting {
  int64_t heads = 2, kv_heads = 2;
  double dropout = 0;
  Band band = {};
  bool packed = false;  // two texts and one position of padding in each row
  double softcap = 0;
};

int32_t segment_of(int64_t row, int64_t place, int64_t length) {
  if (place == length - 1) return 0;
  return static_cast<int32_t>(2 * row + (place < length / 3 ? 1 : 2));
}

Tensor two_texts(int64_t batch, int64_t length) {
  Tensor segments({DType::kInt32, {batch, length}});
  for (int64_t i = 0; i < batch * length; ++i) {
    segments.as<int32_t>()[static_cast<size_t>(i)] = segment_of(i / length, i % length, length);
  }
  return segments;
}

Differentiable apply_attention(const Setting& setting) {
  return [setting](const Values& x) {
    const Value q = x[0], k = convert(x[1], q.dtype()), v = convert(x[2], q.dtype());
    const auto mask = setting.packed ? two_texts : some_keys_hidden;
    return attention(q * 3, k * 3, v, constant(mask(k.shape()[0], k.shape()[1])),
                     {.heads = setting.heads,
                      .scale = 0.5,
                      .dropout = setting.dropout,
                      .key = key(7, 8),
                      .band = setting.band,
                      .kv_heads = setting.kv_heads,
                      .softcap = setting.softcap});
  };
}

// The definition of attention without dropout, one weight after the other, in double.
std::vector<double> attention_by_hand(const Setting& setting, const Tensor& q, const Tensor& k, const Tensor& v) {
  const int64_t batch = q.shape()[0], queries = q.shape()[1], keys = k.shape()[1], size = q.shape()[2] / setting.heads;
  const Tensor bias = setting.packed ? Tensor({kF32, {batch, 1, 1, keys}}) : some_keys_hidden(batch, keys);
  const auto at = [&](const Tensor& x, int64_t b, int64_t i, int64_t head, int64_t d) {
    return static_cast<double>(
        x.as<float>()[static_cast<size_t>((b * x.shape()[1] + i) * x.shape()[2] + head * size + d)]);
  };
  std::vector<double> out;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < queries; ++i) {
      for (int64_t head = 0; head < setting.heads; ++head) {
        const int64_t kv_head = head / (setting.heads / setting.kv_heads);
        std::vector<double> weights;
        double total = 0;
        for (int64_t j = 0; j < keys; ++j) {
          const int64_t distance = j - (i + keys - queries);
          const int32_t segment = segment_of(b, j, keys);
          const bool seen = distance >= -setting.band.before.value_or(keys) &&
                            distance <= setting.band.after.value_or(keys + queries) &&
                            (!setting.packed || (segment != 0 && segment == segment_of(b, i, keys)));
          double score = 0;
          for (int64_t d = 0; d < size; ++d) score += 9 * at(q, b, i, head, d) * at(k, b, j, kv_head, d);
          score *= 0.5;
          if (setting.softcap > 0) score = setting.softcap * std::tanh(score / setting.softcap);
          weights.push_back(seen ? std::exp(score + bias.as<float>()[static_cast<size_t>(b * keys + j)]) : 0);
          total += weights.back();
        }
        for (int64_t d = 0; d < size; ++d) {
          double sum = 0;
          for (int64_t j = 0; j < keys; ++j) sum += weights[static_cast<size_t>(j)] * at(v, b, j, kv_head, d);
          out.push_back(total == 0 ? 0 : sum / total);
        }
      }
    }
  }
  return out;
}

void expect_as_by_hand(const Setting& setting, const std::vector<Tensor>& x) {
  const std::vector<double> found =
      elements(apply_attention(setting)({constant(x[0]), constant(x[1]), constant(x[2])}));
  const std::vector<double> wanted = attention_by_hand(setting, x[0], x[1], x[2]);
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], wanted[i], 2e-6) << "element " << i;
}

const std::vector<Tensor> kSmall{f32({2, 3, 8}, 1), f32({2, 5, 8}, 2), f32({2, 5, 8}, 3)};
const std::vector<Tensor> kMoreQueries{f32({1, 7, 8}, 1), f32({1, 5, 8}, 2), f32({1, 5, 8}, 3)};
const std::vector<Tensor> kGrouped{f32({2, 5, 24}, 1), f32({2, 5, 8}, 2), f32({2, 5, 8}, 3)};
const std::vector<Tensor> kOdd{f32({3, 19, 64}, 1), f32({3, 19, 64}, 2), f32({3, 19, 64}, 3)};
const std::vector<Tensor> kOddGrouped{f32({2, 77, 48}, 1), f32({2, 77, 16}, 2), f32({2, 77, 16}, 3)};

constexpr Band kCausal{.after = 0}, kWindow{.before = 2, .after = 0}, kLocal{.before = 1, .after = 1};

TEST(Attention, MatchesOneHeadWithTwoKeysByHand) {
  const Value q = constant(Tensor({1, 1, 1}, {1.0f})), k = constant(Tensor({1, 2, 1}, {0.0f, 2.0f}));
  const Value v = constant(Tensor({1, 2, 1}, {10.0f, 20.0f}));
  const Value out = attention(q, k, v, full({kF32, {1, 1, 1, 2}}, 0), {.heads = 1, .scale = 0.5});
  EXPECT_NEAR(elements(out)[0], (10 + 20 * std::exp(1.0)) / (1 + std::exp(1.0)), 1e-5);
}
TEST(Attention, MatchesItsDefinition) {
  for (const Band& band : {Band{}, kCausal, kWindow, kLocal}) {
    expect_as_by_hand({.band = band}, kSmall);
    expect_as_by_hand({.band = band}, kMoreQueries);
    expect_as_by_hand({.heads = 6, .kv_heads = 2, .band = band}, kGrouped);
  }
}
TEST(Attention, MatchesItsDefinitionForPackedRows) {
  for (const Band& band : {Band{}, kCausal, kLocal}) {
    expect_as_by_hand({.band = band, .packed = true}, kOdd);
    expect_as_by_hand({.heads = 6, .kv_heads = 2, .band = band, .packed = true}, kGrouped);
  }
}
TEST(Attention, CausalQueriesSeeEarlierKeysAndTheirOwn) {
  const Value ones = full({kF32, {1, 3, 1}}, 1), v = constant(Tensor({1, 3, 1}, {1.0f, 2.0f, 6.0f}));
  const Value bias = full({kF32, {1, 1, 1, 3}}, 0);
  const auto causal = elements(attention(ones, ones, v, bias, {.heads = 1, .scale = 1, .band = {.after = 0}}));
  const auto window =
      elements(attention(ones, ones, v, bias, {.heads = 1, .scale = 1, .band = {.before = 1, .after = 0}}));
  const double means[] = {1, 1.5, 3}, means_of_two[] = {1, 1.5, 4};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(causal[i], means[i], 1e-6);
    EXPECT_NEAR(window[i], means_of_two[i], 1e-6);
  }
}
TEST(Attention, RowsWithoutVisibleKeysAreFiniteAndHaveNoGradient) {
  for (const Device* device : {&decompositions(), &kernels()}) {
    const Value x = parameter("x", {kF32, {1, 4, 2}}), lowest = full({kF32, {1, 1, 1, 4}}, kLowest);
    const Value out = attention(x * 1e3, x, x, lowest, {.heads = 1, .scale = 1, .band = kCausal});
    const auto results = evaluate({out, gradients(sum(out), {&x, 1})[0]}, {x}, {f32({1, 4, 2})}, *device);
    for (const float element : results[0].as<float>()) EXPECT_TRUE(std::isfinite(element));
    for (const float element : results[1].as<float>()) EXPECT_EQ(element, 0);
  }
}
TEST(Attention, GradientMatchesFiniteDifferences) {
  check_gradient(apply_attention({.dropout = 0.3}), kSmall, kCoarse);
  check_gradient(apply_attention({.band = kWindow}), kSmall, kCoarse);
  check_gradient(apply_attention({.band = kCausal}), kMoreQueries, kCoarse);
  check_gradient(apply_attention({.heads = 6, .dropout = 0.3, .band = kCausal}), kGrouped, kCoarse);
  check_gradient(apply_attention({.heads = 6, .dropout = 0.3, .band = kCausal, .packed = true}), kGrouped, kCoarse);
}
TEST(Attention, KernelAgreesWithItsDecomposition) {
  const std::vector<std::string> both{"portatune.attention", "portatune.attention_grad"};
  for (const auto& [rate, band] : {std::pair(0.0, Band{}), {0.3, Band{}}, {0.0, kCausal}, {0.3, kLocal}}) {
    const auto f = apply_attention({.dropout = rate, .band = band});
    const auto grouped = apply_attention({.heads = 6, .kv_heads = 2, .dropout = rate, .band = band});
    const auto packed = apply_attention({.heads = 6, .kv_heads = 2, .dropout = rate, .band = band, .packed = true});
    check_kernel(both, packed, kOddGrouped, 1e-5);
    check_kernel(both, in_bf16(packed), kOddGrouped, 3e-2);
    check_kernel(both, f, kOdd, 1e-5);
    check_kernel(both, in_bf16(f), kOdd, 3e-2);
    check_kernel(both, grouped, kOddGrouped, 1e-5);
    check_kernel(both, in_bf16(grouped), kOddGrouped, 3e-2);
    const auto capped =
        apply_attention({.heads = 6, .kv_heads = 2, .dropout = rate, .band = band, .packed = true, .softcap = 2});
    check_kernel(both, capped, kOddGrouped, 1e-5);
    check_kernel(both, in_bf16(capped), kOddGrouped, 3e-2);
  }
}
TEST(Attention, SoftcapBoundsTheScoresBeforeTheBias) {
  expect_as_by_hand({.softcap = 1.5}, kSmall);
  expect_as_by_hand({.heads = 6, .kv_heads = 2, .band = kWindow, .softcap = 0.7}, kGrouped);
  expect_as_by_hand({.band = kLocal, .packed = true, .softcap = 1.5}, kOdd);
}
TEST(Attention, GradientWithSoftcapMatchesFiniteDifferences) {
  check_gradient(apply_attention({.softcap = 1.5}), kSmall, kCoarse);
  check_gradient(apply_attention({.heads = 6, .kv_heads = 2, .dropout = 0.3, .band = kCausal, .softcap = 2}), kGrouped,
                 kCoarse);
  check_gradient(apply_attention({.heads = 6, .band = kWindow, .packed = true, .softcap = 2}), kGrouped, kCoarse);
}
TEST(Attention, KernelsTakeASoftcapAndLibrariesDoNot) {
  const Value x = parameter("x", {kBF16, {2, 6, 32}}), mask = full({kF32, {2, 1, 1, 6}}, 0);
  const auto calls = [&](const Target& target, double softcap) {
    const Value out = attention(x, x, x, mask, {.heads = 4, .scale = 1, .softcap = softcap});
    const Function f{.parameters = {x}, .results = gradients(sum(convert(out, kF32)), {&x, 1})};
    return to_stablehlo(f, target).find("custom_call") != std::string::npos;
  };
  const Target cpu{.kernels = {"portatune.attention", "portatune.attention_grad"}};
  const Target gpu{.kernels = {std::string(kCudnnAttention)}};
  EXPECT_TRUE(calls(cpu, 50));
  EXPECT_TRUE(calls(gpu, 0));
  EXPECT_FALSE(calls(gpu, 50));
}
TEST(Attention, ADropoutRuleAsInputGivesTheBitsOfAConstantRate) {
  const Tensor x = f32({2, 5, 12});
  const Value in = parameter("x", x.type()), rule = parameter("rule", {kF32, {2}});
  const Value bias = constant(some_keys_hidden(2, 5));
  for (const Device* device : {&decompositions(), &kernels()}) {
    Values results;
    for (const Value& given : {rule, Value()}) {
      const Value y = attention(in, in, in, bias,
                                {.heads = 4, .scale = 1, .dropout = 0.4, .key = key(7, 8), .dropout_rule = given});
      results.push_back(y);
      results.push_back(gradients(sum(y * y), Values{in})[0]);
    }
    const std::vector<Tensor> found = evaluate(results, {in, rule}, {x, dropout_rule(0.4)}, *device);
    for (const size_t i : {0, 1}) EXPECT_EQ(to_floats(found[i].view()), to_floats(found[i + 2].view())) << i;
  }
}
// The second half of four heads, alone and among all heads.
TEST(Attention, DropsTheSameWeightsForAPartOfTheHeads) {
  const auto inputs = std::vector{f32({2, 5, 12}), f32({2, 7, 12}, 2), f32({2, 7, 12}, 3)};
  const Value bias = constant(some_keys_hidden(2, 7));
  for (const Device* device : {&decompositions(), &kernels()}) {
    Values x;
    for (const Tensor& input : inputs) x.push_back(parameter("x", input.type()));
    const auto half = [](const Value& y) { return slice(y, 2, {6, 12}); };
    const AttentionOptions all{.heads = 4, .scale = 1, .dropout = 0.4, .key = key(7, 8)};
    AttentionOptions some = all;
    some.heads = some.kv_heads = 2;
    some.dropout_heads = 4;
    some.key = key_from(all.key, full({DType::kUInt32, {}}, 2 * 5 * 7));
    const Value wanted = half(attention(x[0], x[1], x[2], bias, all));
    const Value found = attention(half(x[0]), half(x[1]), half(x[2]), bias, some);
    Values results{wanted, found};
    for (const Value& y : {wanted, found}) {
      for (const Value& dx : gradients(sum(y * y), x)) results.push_back(dx);
    }
    const std::vector<Tensor> values = evaluate(results, x, inputs, *device);
    for (const auto& [one, other] : {std::pair(0, 1), {2, 5}, {3, 6}, {4, 7}}) {
      const auto a = values[static_cast<size_t>(one)].as<float>(), b = values[static_cast<size_t>(other)].as<float>();
      for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << one << ", element " << i;
    }
  }
}

TEST(Attention, ErrorNamesTheOperands) {
  const Value x = constant(f32({1, 2, 6})), bias = full({kF32, {1, 1, 1, 2}}, 0);
  expect_shape_error([&] { attention(x, x, x, bias, {.heads = 4, .scale = 1}); },
                     {"attention", "[1, 2, 6]", "4 heads"});
  expect_shape_error([&] { attention(x, x, x, bias, {.heads = 2, .scale = 1, .dropout = 0.1}); }, {"key"});
  expect_shape_error(
      [&] {
        attention(x, x, x, full({DType::kInt32, {1, 3}}, 1), {.heads = 2, .scale = 1});
      },
      {"int32[1, 3]", "segments [batch, kv]"});
  expect_shape_error([&] { attention(x, x, x, bias, {.heads = 3, .scale = 1, .kv_heads = 2}); }, {"2 kv_heads"});
  expect_shape_error([&] { attention(x, x, x, bias, {.heads = 6, .scale = 1, .kv_heads = 3}); }, {"head_size"});
  expect_shape_error([&] { attention(x, x, x, bias, {.heads = 1, .scale = 1, .band = {.before = -1}}); },
                     {"band", "-1 before"});
  expect_shape_error([&] { attention(x, x, x, bias, {.heads = 1, .scale = 1, .softcap = -1}); }, {"softcap"});
}

}  // namespace portatune::test
