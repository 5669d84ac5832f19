// attention with a bias for heads and queries: against torch (tests/oracle/models/make_attention_cases.py), central
// differences, and the same numbers in another form.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "graph/ops/composites.h"
#include "portatune/graph/ops/attention/cudnn_attention.h"
#include "runtime/pjrt/aot.h"

namespace portatune::test {
namespace {

using nlohmann::json;

struct TorchCase {
  json facts;

  Tensor array(const std::string& name) const {
    const json& x = facts["arrays"][name];
    const std::vector<float> values = x["values"];
    return Tensor(Shape(x["shape"].get<std::vector<int64_t>>()), std::span<const float>(values));
  }
  AttentionOptions options() const {
    AttentionOptions options{
        .heads = facts["heads"], .scale = facts["scale"], .kv_heads = facts["kv_heads"].get<int64_t>()};
    options.dropout_heads = options.heads;
    if (!facts["after"].is_null()) options.band.after = facts["after"].get<int64_t>();
    return options;
  }
};

std::vector<TorchCase> torch_cases() {
  std::vector<TorchCase> cases;
  for (const json& facts : json::parse(std::ifstream(PORTATUNE_TEST_DATA "/attention.json"))) cases.push_back({facts});
  return cases;
}

TEST(AttentionBias, ResultsAndGradientsEqualTorch) {
  const char* const names[] = {"q", "k", "v", "bias"};
  for (const TorchCase& expected : torch_cases()) {
    SCOPED_TRACE(expected.facts["name"]);
    std::vector<Tensor> inputs;
    Values x;
    for (const char* name : names) {
      inputs.push_back(expected.array(name));
      x.push_back(parameter(name, inputs.back().type()));
    }
    const Value out = attention(x[0], x[1], x[2], x[3], expected.options());
    Values results = gradients(sum(out * constant(expected.array("dout"))), x);
    results.insert(results.begin(), out);
    std::vector<Tensor> wanted{expected.array("out")};
    for (const char* name : names) wanted.push_back(expected.array(std::string("d") + name));
    for (const Device* device : {&decompositions(), &kernels()}) {
      const std::vector<Tensor> found = evaluate(results, x, inputs, *device);
      for (size_t i = 0; i < wanted.size(); ++i) {
        ASSERT_EQ(found[i].shape(), wanted[i].shape());
        for (size_t j = 0; j < wanted[i].as<float>().size(); ++j) {
          ASSERT_NEAR(found[i].as<float>()[j], wanted[i].as<float>()[j], 2e-6) << "array " << i << ", element " << j;
        }
      }
    }
  }
}

// Attention of q = x[0], k = x[1], v = x[2] with the bias x[3].
Differentiable with_bias(AttentionOptions options) {
  options.scale = 0.5;
  options.dropout_heads = options.heads;
  options.key = key(7, 8);
  return [options](const Values& x) {
    const DType dtype = x[0].dtype();
    return attention(x[0] * 3, convert(x[1], dtype) * 3, convert(x[2], dtype), x[3], options);
  };
}

std::vector<Tensor> inputs(const Shape& q, const Shape& k, const Shape& bias) {
  return {f32(q, 1), f32(k, 2), f32(k, 3), f32(bias, 4)};
}

TEST(AttentionBias, GradientMatchesFiniteDifferences) {
  check_gradient(with_bias({.heads = 2}), inputs({2, 3, 8}, {2, 5, 8}, {1, 2, 3, 5}), kCoarse);
  check_gradient(with_bias({.heads = 2, .dropout = 0.3, .band = {.after = 0}}),
                 inputs({2, 3, 8}, {2, 5, 8}, {1, 2, 3, 5}), kCoarse);
  check_gradient(with_bias({.heads = 6, .band = {.before = 2, .after = 1}, .kv_heads = 2}),
                 inputs({2, 5, 24}, {2, 5, 8}, {2, 6, 1, 5}), kCoarse);
  check_gradient(with_bias({.heads = 2}), inputs({2, 3, 8}, {2, 3, 8}, {3}), kCoarse);
}

TEST(AttentionBias, KernelAgreesWithItsDecomposition) {
  const std::vector<std::string> both{"portatune.attention", "portatune.attention_bias_grad"};
  const auto f = with_bias({.heads = 2, .dropout = 0.3, .band = {.after = 0}});
  const auto capped = with_bias({.heads = 2, .dropout = 0.3, .band = {.before = 12}, .softcap = 2});
  const auto with_shape = [](const Shape& bias) { return inputs({3, 19, 64}, {3, 19, 64}, bias); };
  for (const Shape& bias : {Shape{3, 1, 1, 19}, Shape{19}, Shape{1, 2, 19, 19}, Shape{3, 1, 19, 19}}) {
    check_kernel(both, f, with_shape(bias), 1e-5);
  }
  check_kernel(both, in_bf16(f), with_shape({3, 2, 19, 19}), 3e-2);
  check_kernel(both, capped, with_shape({3, 2, 1, 19}), 1e-5);
}

Function of_bias(const Shape& bias, DType dtype = kBF16) {
  const Value x = parameter("x", {dtype, {2, 6, 32}}), b = parameter("bias", {kF32, bias});
  const Value out = attention(x, x, x, b, {.heads = 4, .scale = 1});
  return {.parameters = {x, b}, .results = gradients(sum(convert(out, kF32)), Values{x, b})};
}

TEST(AttentionBias, IsLeftToKernelsAndLibrariesThatSupportIt) {
  const Target cpu{.kernels = {"portatune.attention", "portatune.attention_bias_grad"}};
  const Target gpu{.kernels = {std::string(kCudnnAttention)}};
  const auto calls = [](const Target& target, const Shape& bias) {
    return to_stablehlo(of_bias(bias), target).find("custom_call") != std::string::npos;
  };
  EXPECT_TRUE(calls(cpu, {2, 1, 1, 6}));
  EXPECT_TRUE(calls(cpu, {1, 6}));
  EXPECT_TRUE(calls(cpu, {2, 1, 6, 6}));
  EXPECT_TRUE(calls(cpu, {1, 4, 6, 6}));
  EXPECT_FALSE(calls(cpu, {1, 4, 6, 1}));
  EXPECT_TRUE(calls(gpu, {2, 1, 1, 6}));
  EXPECT_TRUE(calls(gpu, {1, 1, 6, 6}));
  EXPECT_FALSE(calls(gpu, {1, 4, 6, 6}));
}

// Most models have no gradient of their masks.
TEST(AttentionBias, CostsNothingWithoutItsGradient) {
  const Value x = parameter("x", {kF32, {2, 6, 32}}), mask = parameter("mask", {DType::kInt32, {2, 6}});
  const Value bias = select(compare(Direction::kEqual, mask, full(mask.type(), 0)), full({kF32, {2, 6}}, -1e9),
                            full({kF32, {2, 6}}, 0));
  const Value out = attention(x, x, x, reshape(bias, {2, 1, 1, 6}), {.heads = 4, .scale = 1});
  const Function f{.parameters = {x, mask}, .results = gradients(sum(out), {&x, 1})};
  const Target cpu{.kernels = {"portatune.attention", "portatune.attention_grad", "portatune.attention_bias_grad"}};
  const std::string text = to_stablehlo(f, cpu);
  EXPECT_EQ(text.find("dot_general"), std::string::npos);
  EXPECT_EQ(text.find("attention_bias_grad"), std::string::npos);
}

// A device along `tensor` has its heads' part of the bias.
TEST(AttentionBias, PartOfTheHeadsTakesItsPartOfTheBias) {
  const auto half = [](const Value& y, int64_t axis) { return slice(y, axis, {y.shape()[axis] / 2, y.shape()[axis]}); };
  const std::vector<Tensor> values = inputs({2, 3, 16}, {2, 5, 16}, {1, 4, 3, 5});
  Values x;
  for (const Tensor& value : values) x.push_back(parameter("x", value.type()));
  const Value all = half(attention(x[0], x[1], x[2], x[3], {.heads = 4, .scale = 1}), 2);
  const Value part = attention(half(x[0], 2), half(x[1], 2), half(x[2], 2), half(x[3], 1), {.heads = 2, .scale = 1});
  const Values results{all, part, gradients(sum(all * all), x)[3], gradients(sum(part * part), x)[3]};
  const std::vector<Tensor> found = evaluate(results, x, values);
  for (const size_t i : {size_t{0}, size_t{2}}) {
    for (size_t j = 0; j < found[i].as<float>().size(); ++j) {
      EXPECT_NEAR(found[i].as<float>()[j], found[i + 1].as<float>()[j], 1e-5);
    }
  }
}

TEST(AttentionBias, CompilesForOtherDevices) {
  for (const pjrt::AotTarget target : {pjrt::AotTarget::kCudaH100, pjrt::AotTarget::kTpuV5e}) {
    PORTATUNE_SKIP_WITHOUT_PLUGIN(target);
    const Target offered =
        target == pjrt::AotTarget::kCudaH100 ? Target{.kernels = {std::string(kCudnnAttention)}} : Target{};
    for (const Shape& bias : {Shape{1, 4, 6, 6}, Shape{1, 1, 6, 6}}) {
      EXPECT_GT(pjrt::aot_topology(target).compile(to_stablehlo(of_bias(bias), offered)).memory_stats().results, 0);
    }
  }
}

TEST(AttentionBias, ErrorNamesItsShape) {
  const Value x = constant(f32({2, 3, 8}));
  for (const Shape& bias : {Shape{2, 3, 3, 3}, Shape{1, 2, 3, 4}, Shape{1, 2, 2, 3, 3}}) {
    expect_shape_error(
        [&] {
          attention(x, x, x, full({kF32, bias}, 0), {.heads = 2, .scale = 1});
        },
        {"float32" + to_string(bias), "[batch, heads, query, kv]"});
  }
}

}  // namespace
}  // namespace portatune::test
