// linear, matmul, layer_norm, rms_norm, gelu, dropout, adamw, sum_of_squares: each against central differences, a
// closed form or literals; and its kernels against its decomposition.
#include "graph/ops/composites.h"

#include <gtest/gtest.h>

#include <cmath>

#include "portatune/error.h"

namespace portatune::test {

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
  check_kernel({"portatune.linear", "portatune.linear_dx", "portatune.linear_dw"}, apply_linear, kLinearOdd, 1e-5);
}
TEST(Linear, KernelAgreesWithItsDecompositionInBfloat16) {
  check_kernel({"portatune.linear", "portatune.linear_dx", "portatune.linear_dw"}, in_bf16(apply_linear), kLinearOdd,
               2e-2);
}
TEST(Linear, ErrorNamesTheOperands) {
  expect_shape_error(
      [] {
        linear(constant(f32({2, 3})), constant(f32({4, 5})));
      },
      {"linear", "[2, 3]", "[4, 5]", "[out, in]"});
  expect_shape_error([] { linear(constant(f32({2, 3})), constant(f32({4, 3})), constant(f32({3}))); }, {"bias [out]"});
}

// ---- matmul

Value apply_matmul(const Values& x) { return matmul(x[0], x[1]); }
const std::vector<Tensor> kMatmulOdd{f32({3, 11, 37}, 1), f32({37, 29}, 2)};

TEST(Matmul, MultipliesByTheWeight) {
  const Value x = constant(Tensor({1, 2}, {1.0f, 2.0f})), w = constant(Tensor({2, 3}, {1.f, 0.f, 1.f, 0.f, 1.f, 1.f}));
  EXPECT_EQ(elements(matmul(x, w)), (std::vector<double>{1, 2, 3}));
}
TEST(Matmul, GradientMatchesFiniteDifferences) {
  check_gradient(apply_matmul, {f32({2, 3, 5}, 1), f32({5, 4}, 2)}, kCoarse);
}
TEST(Matmul, KernelAgreesWithItsDecomposition) {
  check_kernel({"portatune.linear_dx", "portatune.linear_no_bias", "portatune.linear_dw"}, apply_matmul, kMatmulOdd,
               1e-5);
  check_kernel({"portatune.linear_dx", "portatune.linear_no_bias", "portatune.linear_dw"}, in_bf16(apply_matmul),
               kMatmulOdd, 2e-2);
}
TEST(Matmul, ErrorNamesTheOperands) {
  expect_shape_error([] { matmul(constant(f32({2, 3})), constant(f32({4, 3}))); }, {"matmul", "[2, 3]", "[in, out]"});
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
  check_kernel({"portatune.layer_norm", "portatune.layer_norm_grad"}, apply_layer_norm, kNormOdd, 1e-5);
}
TEST(LayerNorm, KernelAgreesWithItsDecompositionInBfloat16) {
  check_kernel({"portatune.layer_norm", "portatune.layer_norm_grad"}, in_bf16(apply_layer_norm), kNormOdd, 2e-2);
}
TEST(LayerNorm, ErrorNamesTheOperands) {
  expect_shape_error(
      [] {
        layer_norm(constant(f32({2, 3})), constant(f32({4})), constant(f32({3})), 0);
      },
      {"layer_norm", "[2, 3]", "[4]", "gamma and beta"});
}

// ---- rms_norm

Value apply_rms_norm(const Values& x) { return rms_norm(x[0], x[1], 1e-5); }
const std::vector<Tensor> kRms{f32({2, 3, 7}, 1), f32({7}, 2)};
const std::vector<Tensor> kRmsOdd{f32({5, 13, 67}, 1), f32({67}, 2)};

TEST(RmsNorm, GivesAUnitMeanSquare) {
  const Value x = constant(Tensor({1, 2}, {3.0f, 4.0f})), weight = constant(Tensor({2}, {1.0f, 10.0f}));
  const std::vector<double> y = elements(rms_norm(x, weight, 0)), damped = elements(rms_norm(x, weight, 12.5));
  EXPECT_NEAR(y[0], 3 / std::sqrt(12.5), 1e-6);
  EXPECT_NEAR(y[1], 40 / std::sqrt(12.5), 1e-5);
  EXPECT_NEAR(damped[0], 3.0 / 5, 1e-6);
}
TEST(RmsNorm, GradientMatchesFiniteDifferences) { check_gradient(apply_rms_norm, kRms, kCoarse); }
TEST(RmsNorm, KernelAgreesWithItsDecomposition) {
  check_kernel({"portatune.rms_norm", "portatune.rms_norm_grad"}, apply_rms_norm, kRmsOdd, 1e-5);
  check_kernel({"portatune.rms_norm", "portatune.rms_norm_grad"}, in_bf16(apply_rms_norm), kRmsOdd, 2e-2);
}
TEST(RmsNorm, MayRoundOnlyItsResult) {
  const auto apply = [](RmsNormRounding rounding) {
    return [rounding](const Values& x) { return rms_norm(x[0], x[1], 1e-5, rounding); };
  };
  const Value x = constant(f32({7, 67}, 1)), weight = constant(f32({67}, 2));
  const auto in_bfloat16 = [&](RmsNormRounding rounding) { return elements(in_bf16(apply(rounding))({x, weight})); };
  const std::vector<double> exact = elements(rms_norm(convert(convert(x, kBF16), kF32), weight, 1e-5));
  const std::vector<double> once = in_bfloat16(RmsNormRounding::kNone);
  for (size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(once[i], exact[i], std::ldexp(std::abs(exact[i]), -8));
  EXPECT_NE(once, in_bfloat16(RmsNormRounding::kBeforeWeight));
  const auto f = apply(RmsNormRounding::kNone);
  check_kernel({"portatune.rms_norm", "portatune.rms_norm_grad"}, f, kRmsOdd, 1e-5);
  check_kernel({"portatune.rms_norm", "portatune.rms_norm_grad"}, in_bf16(f), kRmsOdd, 2e-2);
}
TEST(RmsNorm, ErrorNamesTheOperands) {
  expect_shape_error(
      [] {
        rms_norm(constant(f32({2, 3})), constant(f32({4})), 0);
      },
      {"rms_norm", "[2, 3]", "[4]", "weight"});
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
    check_kernel({"portatune.gelu", "portatune.gelu_grad"}, f, {f32({7, 67})}, 3e-6);
    check_kernel({"portatune.gelu", "portatune.gelu_grad"}, in_bf16(f), {f32({7, 67})}, 2e-2);
  }
}

// ---- dropout

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
      {"portatune.dropout"}, [](const Values& x) { return dropout(x[0], key(5, 6), 0.1); }, {f32({13, 67})}, 0);
  check_kernel({"portatune.dropout"}, in_bf16([](const Values& x) { return dropout(x[0], key(5, 6), 0.1); }),
               {f32({13, 67})}, 0);
}
TEST(Dropout, RefusesARateOfOne) {
  expect_shape_error([] { dropout(constant(f32({2})), key(1, 2), 1.0); }, {"dropout", "[0, 1)"});
}
TEST(Dropout, RuleHasTheRateInFloat32) {
  const auto rule = [](double rate) {
    const Tensor tensor = dropout_rule(rate);
    return std::pair(tensor.as<float>()[0], tensor.as<float>()[1]);
  };
  EXPECT_EQ(rule(0), std::pair(0.0f, 1.0f));
  EXPECT_EQ(rule(0.5), std::pair(0x1p31f, 2.0f));
  // 13421773 / 2^27, the float nearest to 0.1, times 2^32
  EXPECT_EQ(rule(0.1), std::pair(429496736.0f, 1 / (1 - 0.1f)));
  EXPECT_EQ(rule(1e-4).first, 429497.0f);  // 429496.7
  EXPECT_LT(rule(1 - 1e-12).first, 0x1p32f);
}
TEST(Dropout, ARuleAsInputGivesTheBitsOfAConstantRate) {
  const Tensor x = f32({13, 67});
  const Value in = parameter("x", x.type()), rule = parameter("rule", {kF32, {2}});
  for (const Device* device : {&decompositions(), &kernels()}) {
    const Values both{dropout(in, key(5, 6), rule), dropout(in, key(5, 6), 0.1)};
    const std::vector<Tensor> found = evaluate(both, {in, rule}, {x, dropout_rule(0.1)}, *device);
    EXPECT_EQ(to_floats(found[0].view()), to_floats(found[1].view()));
  }
}

// ---- adamw and sum_of_squares

TEST(AdamW, MatchesAFirstStepByHand) {
  const auto one = [](float value) { return constant(Tensor({1}, {value})); };
  // For t = 1 the corrected moments are g and g^2, so that the step is lr * sign(g) besides the decay.
  const Value hyper = constant(Tensor({5}, {0.1f, 10.0f, 1000.0f, 0.5f, 1.0f}));
  const AdamWState state = adamw({one(1), one(0), one(0)}, one(4), hyper, {.eps = 0, .weight_decay = 0.2});
  EXPECT_NEAR(elements(state.parameter)[0], 1 * (1 - 0.1 * 0.2) - 0.1, 1e-6);
  EXPECT_NEAR(elements(state.m)[0], 0.1 * 2, 1e-6);
  EXPECT_NEAR(elements(state.v)[0], 0.001 * 4, 1e-6);
}

TEST(AdamW, KernelAgreesWithItsDecomposition) {
  if (!kernels().target().kernels.contains("portatune.adamw")) GTEST_SKIP() << "no kernel";
  const Value p = parameter("p", {kF32, {7, 31}}), m = parameter("m", p.type()), v = parameter("v", p.type());
  const Value g = parameter("g", p.type());
  const AdamWState s =
      adamw({p, m, v * v}, g, constant(Tensor({5}, {1e-2f, 2.0f, 3.0f, 0.7f, 1.0f})), {.weight_decay = 0.1});
  const std::vector<Tensor> inputs{f32({7, 31}, 1), f32({7, 31}, 2), f32({7, 31}, 3), f32({7, 31}, 4)};
  const Values results{s.parameter, s.m, s.v};
  const auto found = evaluate(results, {p, m, v, g}, inputs, kernels());
  const auto wanted = evaluate(results, {p, m, v, g}, inputs);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 7 * 31; ++k) ASSERT_NEAR(found[i].as<float>()[k], wanted[i].as<float>()[k], 2e-6);
  }
}

TEST(AdamW, KeepsTheStateOfASkippedStep) {
  const Value p = parameter("p", {kF32, {3}}), m = parameter("m", p.type()), v = parameter("v", p.type());
  const Value g = constant(Tensor({3}, {NAN, INFINITY, 1.0f}));
  const AdamWState s =
      adamw({p, m, v}, g, constant(Tensor({5}, {1e-2f, 2.0f, 3.0f, NAN, 0.0f})), {.weight_decay = 0.1});
  const std::vector<Tensor> inputs{f32({3}, 1), f32({3}, 2), f32({3}, 3)};
  for (const Device* device : {&decompositions(), &kernels()}) {
    const auto found = evaluate({s.parameter, s.m, s.v}, {p, m, v}, inputs, *device);
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(to_floats(found[i].view()), to_floats(inputs[i].view()));
  }
}

TEST(SumOfSquares, AddsUpSquares) {
  EXPECT_EQ(elements(sum_of_squares(constant(Tensor({2, 2}, {1.0f, 2.0f, 3.0f, -4.0f})))), (std::vector<double>{30}));
  check_kernel(
      {"portatune.sum_of_squares"}, [](const Values& x) { return sum_of_squares(x[0]); }, {f32({5, 1001})}, 1e-6);
}

}  // namespace portatune::test
