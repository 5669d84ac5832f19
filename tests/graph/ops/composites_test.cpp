// linear, layer_norm, gelu, dropout, attention, adamw, sum_of_squares: each against central differences, a closed form
// or literals; and its kernels against its decomposition.
#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"
#include "portune/error.h"

namespace portune::test {

constexpr DType kF32 = DType::kFloat32, kBF16 = DType::kBFloat16;

Tensor f32(const Shape& shape, uint32_t seed = 1) { return random(TensorType{kF32, shape}, seed); }

// Central differences in float32: coarse, but wrong formulas are far off.
constexpr GradientCheck kCoarse{.step = 1e-2, .tolerance = 3e-3};

// Runs a float32 function in bfloat16 inside, so that its parameters stay float32.
Differentiable in_bf16(Differentiable f) {
  return [f](const Values& x) {
    Values rounded = x;
    rounded[0] = convert(x[0], kBF16);
    return convert(f(rounded), kF32);
  };
}

// ---- linear

Value apply_linear(const Values& x) { return linear(x[0], x[1], x[2]); }
const std::vector<Tensor> kLinear{f32({2, 3, 5}, 1), f32({4, 5}, 2), f32({4}, 3)};
const std::vector<Tensor> kLinearOdd{f32({3, 11, 37}, 1), f32({29, 37}, 2), f32({29}, 3)};

TEST(Linear, MultipliesByTheTransposedWeightAndAddsTheBias) {
  const Value x = constant(Tensor({1, 2}, {1.0f, 2.0f})),
              w = constant(Tensor({3, 2}, {1.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f}));
  EXPECT_EQ(elements(linear(x, w, constant(Tensor({3}, {10.0f, 20.0f, 30.0f})))), (std::vector<double>{11, 22, 33}));
  EXPECT_EQ(elements(linear(x, w)), (std::vector<double>{1, 2, 3}));
}
TEST(Linear, GradientMatchesFiniteDifferences) { check_gradient(apply_linear, kLinear, kCoarse); }
TEST(Linear, KernelAgreesWithItsDecomposition) {
  check_kernel({"portune.linear", "portune.linear_dx", "portune.linear_dw"}, apply_linear, kLinearOdd, 1e-5);
}
TEST(Linear, KernelAgreesWithItsDecompositionInBfloat16) {
  check_kernel({"portune.linear", "portune.linear_dx", "portune.linear_dw"}, in_bf16(apply_linear), kLinearOdd, 2e-2);
}
TEST(Linear, ErrorNamesTheOperands) {
  expect_shape_error(
      [] {
        linear(constant(f32({2, 3})), constant(f32({4, 5})));
      },
      {"linear", "[2, 3]", "[4, 5]", "[out, in]"});
  expect_shape_error([] { linear(constant(f32({2, 3})), constant(f32({4, 3})), constant(f32({3}))); }, {"bias [out]"});
}

// ---- layer_norm

Value apply_layer_norm(const Values& x) { return layer_norm(x[0], x[1], x[2], 1e-5); }
const std::vector<Tensor> kNorm{f32({2, 3, 7}, 1), f32({7}, 2), f32({7}, 3)};
const std::vector<Tensor> kNormOdd{f32({5, 3, 67}, 1), f32({67}, 2), f32({67}, 3)};

TEST(LayerNorm, GivesZeroMeanAndUnitVariance) {
  const Value x = constant(Tensor({1, 4}, {1.0f, 2.0f, 3.0f, 4.0f}));
  const Value one = full({kF32, {4}}, 1), zero = full({kF32, {4}}, 0);
  const std::vector<double> y = elements(layer_norm(x, one, zero, 0));
  EXPECT_NEAR(y[0], -1.5 / std::sqrt(1.25), 1e-6);
  EXPECT_NEAR(y[3], 1.5 / std::sqrt(1.25), 1e-6);
}
TEST(LayerNorm, GradientMatchesFiniteDifferences) { check_gradient(apply_layer_norm, kNorm, kCoarse); }
TEST(LayerNorm, KernelAgreesWithItsDecomposition) {
  check_kernel({"portune.layer_norm", "portune.layer_norm_grad"}, apply_layer_norm, kNormOdd, 1e-5);
}
TEST(LayerNorm, KernelAgreesWithItsDecompositionInBfloat16) {
  check_kernel({"portune.layer_norm", "portune.layer_norm_grad"}, in_bf16(apply_layer_norm), kNormOdd, 2e-2);
}
TEST(LayerNorm, ErrorNamesTheOperands) {
  expect_shape_error(
      [] {
        layer_norm(constant(f32({2, 3})), constant(f32({4})), constant(f32({3})), 0);
      },
      {"layer_norm", "[2, 3]", "[4]", "gamma and beta"});
}

// ---- gelu

TEST(Gelu, EqualsItsDefinition) {
  const Value x = constant(Tensor({3}, {-1.0f, 0.5f, 2.0f}));
  const std::vector<double> exact = elements(gelu(x)), by_tanh = elements(gelu(x, GeluForm::kTanh));
  const double at[] = {-1, 0.5, 2};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(exact[i], at[i] * 0.5 * std::erfc(-at[i] / std::sqrt(2.0)), 1e-6);
    EXPECT_NEAR(by_tanh[i], exact[i], 5e-4);
    EXPECT_GT(std::abs(by_tanh[i] - exact[i]), 1e-7);
  }
}
TEST(Gelu, GradientMatchesFiniteDifferences) {
  check_gradient([](const Values& x) { return gelu(x[0] * 3); }, {f32({4, 5})}, kCoarse);
  check_gradient([](const Values& x) { return gelu(x[0] * 3, GeluForm::kTanh); }, {f32({4, 5})}, kCoarse);
}
TEST(Gelu, KernelAgreesWithItsDecomposition) {
  for (const GeluForm form : {GeluForm::kErf, GeluForm::kTanh}) {
    const auto f = [&](const Values& x) { return gelu(x[0] * 4, form); };
    check_kernel({"portune.gelu", "portune.gelu_grad"}, f, {f32({7, 67})}, 3e-6);
    check_kernel({"portune.gelu", "portune.gelu_grad"}, in_bf16(f), {f32({7, 67})}, 2e-2);
  }
}

// ---- dropout

Value key(uint32_t a, uint32_t b) { return constant(Tensor({2}, {a, b})); }

TEST(Dropout, KeepsTheExpectedShareAndScale) {
  const std::vector<double> y = elements(dropout(full({kF32, {100, 1000}}, 1), key(1, 2), 0.25));
  int dropped = 0;
  for (const double value : y) {
    if (value == 0)
      ++dropped;
    else
      ASSERT_FLOAT_EQ(static_cast<float>(value), 4.0f / 3);
  }
  // 100,000 draws: four standard deviations are 548.
  EXPECT_NEAR(dropped, 25000, 548);
}
TEST(Dropout, MasksOfDifferentKeysAreIndependent) {
  const Value ones = full({kF32, {100000}}, 1);
  const std::vector<double> a = elements(dropout(ones, key(1, 2), 0.5)), b = elements(dropout(ones, key(3, 2), 0.5));
  const std::vector<double> c = elements(dropout(ones, key(0x80000001, 4), 0.5));
  int both_ab = 0, both_ac = 0, both_next = 0;
  for (size_t i = 0; i + 1 < a.size(); ++i) {
    both_ab += a[i] != 0 && b[i] != 0;
    both_ac += a[i] != 0 && c[i] != 0;
    both_next += a[i] != 0 && a[i + 1] != 0;
  }
  for (const int both : {both_ab, both_ac, both_next}) EXPECT_NEAR(both, 25000, 548);
}
TEST(Dropout, GradientUsesTheSameMask) {
  check_gradient([](const Values& x) { return dropout(x[0], key(5, 6), 0.4); }, {f32({6, 7})}, kCoarse);
}
TEST(Dropout, KernelGivesTheSameBits) {
  check_kernel(
      {"portune.dropout"}, [](const Values& x) { return dropout(x[0], key(5, 6), 0.1); }, {f32({13, 67})}, 0);
  check_kernel({"portune.dropout"}, in_bf16([](const Values& x) { return dropout(x[0], key(5, 6), 0.1); }),
               {f32({13, 67})}, 0);
}
TEST(Dropout, RefusesARateOfOne) {
  expect_shape_error([] { dropout(constant(f32({2})), key(1, 2), 1.0); }, {"dropout", "[0, 1)"});
}

// ---- attention

Value some_keys_hidden(int64_t batch, int64_t kv) {
  Tensor bias({kF32, {batch, 1, 1, kv}});
  for (int64_t b = 0; b < batch; ++b) {
    // Each row of the batch sees one key less than the one before.
    for (int64_t k = kv - b; k < kv; ++k) bias.as<float>()[static_cast<size_t>(b * kv + k)] = -3.4028235e38f;
  }
  return constant(bias);
}

Differentiable apply_attention(double rate) {
  return [rate](const Values& x) {
    const int64_t batch = x[1].shape()[0], kv = x[1].shape()[1];
    const Value q = x[0];
    const Value k = convert(x[1], q.dtype()), v = convert(x[2], q.dtype());
    return attention(q * 3, k * 3, v, some_keys_hidden(batch, kv),
                     {.heads = 2, .scale = 0.5, .dropout = rate, .key = key(7, 8)});
  };
}
const std::vector<Tensor> kAttention{f32({2, 3, 8}, 1), f32({2, 5, 8}, 2), f32({2, 5, 8}, 3)};
const std::vector<Tensor> kAttentionOdd{f32({3, 19, 64}, 1), f32({3, 19, 64}, 2), f32({3, 19, 64}, 3)};

TEST(Attention, OneHeadOfTwoKeysByHand) {
  const Value q = constant(Tensor({1, 1, 1}, {1.0f})), k = constant(Tensor({1, 2, 1}, {0.0f, 2.0f}));
  const Value v = constant(Tensor({1, 2, 1}, {10.0f, 20.0f}));
  const Value out = attention(q, k, v, full({kF32, {1, 1, 1, 2}}, 0), {.heads = 1, .scale = 0.5});
  EXPECT_NEAR(elements(out)[0], (10 + 20 * std::exp(1.0)) / (1 + std::exp(1.0)), 1e-5);
}
TEST(Attention, GradientMatchesFiniteDifferences) {
  check_gradient(apply_attention(0), kAttention, kCoarse);
  check_gradient(apply_attention(0.3), kAttention, kCoarse);
}
TEST(Attention, KernelAgreesWithItsDecomposition) {
  for (const double rate : {0.0, 0.3}) {
    check_kernel({"portune.attention", "portune.attention_grad"}, apply_attention(rate), kAttentionOdd, 1e-5);
    check_kernel({"portune.attention", "portune.attention_grad"}, in_bf16(apply_attention(rate)), kAttentionOdd, 3e-2);
  }
}
TEST(Attention, ErrorNamesTheOperands) {
  const Value x = constant(f32({1, 2, 6})), bias = full({kF32, {1, 1, 1, 2}}, 0);
  expect_shape_error([&] { attention(x, x, x, bias, {.heads = 4, .scale = 1}); },
                     {"attention", "[1, 2, 6]", "4 heads"});
  expect_shape_error([&] { attention(x, x, x, bias, {.heads = 2, .scale = 1, .dropout = 0.1}); }, {"key"});
}

// ---- adamw and sum_of_squares

TEST(AdamW, FirstStepByHand) {
  const auto one = [](float value) { return constant(Tensor({1}, {value})); };
  // t = 1: both moments, corrected, are g and g^2, so the step is lr * sign(g) besides the decay.
  const Value hyper = constant(Tensor({4}, {0.1f, 10.0f, 1000.0f, 0.5f}));
  const AdamWState state = adamw({one(1), one(0), one(0)}, one(4), hyper, {.eps = 0, .weight_decay = 0.2});
  EXPECT_NEAR(elements(state.parameter)[0], 1 * (1 - 0.1 * 0.2) - 0.1, 1e-6);
  EXPECT_NEAR(elements(state.m)[0], 0.1 * 2, 1e-6);
  EXPECT_NEAR(elements(state.v)[0], 0.001 * 4, 1e-6);
}

TEST(AdamW, KernelAgreesWithItsDecomposition) {
  if (!kernels().target().kernels.contains("portune.adamw")) GTEST_SKIP() << "no kernel";
  const Value p = parameter("p", {kF32, {7, 31}}), m = parameter("m", p.type()), v = parameter("v", p.type());
  const Value g = parameter("g", p.type());
  const AdamWState s = adamw({p, m, v * v}, g, constant(Tensor({4}, {1e-2f, 2.0f, 3.0f, 0.7f})), {.weight_decay = 0.1});
  const std::vector<Tensor> inputs{f32({7, 31}, 1), f32({7, 31}, 2), f32({7, 31}, 3), f32({7, 31}, 4)};
  const Values results{s.parameter, s.m, s.v};
  const auto found = evaluate(results, {p, m, v, g}, inputs, kernels());
  const auto wanted = evaluate(results, {p, m, v, g}, inputs);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 7 * 31; ++k) ASSERT_NEAR(found[i].as<float>()[k], wanted[i].as<float>()[k], 2e-6);
  }
}

TEST(SumOfSquares, AddsUpSquares) {
  EXPECT_EQ(elements(sum_of_squares(constant(Tensor({2, 2}, {1.0f, 2.0f, 3.0f, -4.0f})))), (std::vector<double>{30}));
  check_kernel(
      {"portune.sum_of_squares"}, [](const Values& x) { return sum_of_squares(x[0]); }, {f32({5, 1001})}, 1e-6);
}

}  // namespace portune::test
