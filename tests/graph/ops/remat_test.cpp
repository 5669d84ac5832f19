#include <gtest/gtest.h>

#include <cmath>

#include "graph/evaluate.h"

namespace portatune::test {
namespace {

// A layer with all relevant parts: products, a mask, a norm, and outside values with and without gradients.
struct Layer {
  Value x = parameter("x", {DType::kFloat32, {6, 8}}), scale = parameter("scale", {DType::kFloat32, {8}});
  Value w1 = parameter("w1", {DType::kFloat32, {8, 8}}), w2 = parameter("w2", {DType::kFloat32, {8, 8}});
  Value key = parameter("key", {DType::kUInt32, {2}});

  Values parameters() const { return {x, scale, w1, w2, key}; }
  std::vector<Tensor> inputs() const {
    return {random(x.type(), 1), random(scale.type(), 2), random(w1.type(), 3), random(w2.type(), 4),
            Tensor({2}, {11u, 12u})};
  }
  Value output(const Value& in) const {
    const Value gains = exp(scale);
    const Value h = dropout(tanh(linear(layer_norm(in, gains, scale, 1e-5), w1)), key, 0.3);
    return in + matmul(gelu(h), w2);
  }
  // The loss of two such layers with the same weights.
  Value loss(Remat policy) const {
    const Value y = remat(x, output(x), policy);
    const Value z = remat(y, output(y), policy);
    return sum(z * z * z);
  }
  Values gradients_with(Remat policy) const { return gradients(loss(policy), Values{x, scale, w1, w2}); }
};

TEST(Remat, GradientsEqualThoseOfStoredValues) {
  const Layer layer;
  for (const Device* device : {&kernels(), &decompositions()}) {
    const auto wanted = evaluate(layer.gradients_with(Remat::kNone), layer.parameters(), layer.inputs(), *device);
    for (const Remat policy : {Remat::kLayers, Remat::kDots}) {
      const auto found = evaluate(layer.gradients_with(policy), layer.parameters(), layer.inputs(), *device);
      for (size_t i = 0; i < wanted.size(); ++i) {
        const std::vector<float> a = to_floats(found[i].view()), b = to_floats(wanted[i].view());
        for (size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-5 * (1 + std::abs(b[j]))) << i << " " << j;
      }
    }
  }
}

int64_t count(const std::string& text, const std::string& word) {
  int64_t times = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++times;
  return times;
}

TEST(Remat, RecomputesTheLayerBehindABarrier) {
  const Layer layer;
  const auto text = [&](Remat policy) {
    return to_stablehlo({.parameters = layer.parameters(), .results = layer.gradients_with(policy), .aliases = {}}, {});
  };
  EXPECT_EQ(count(text(Remat::kNone), "stablehlo.tanh"), 2);
  EXPECT_EQ(count(text(Remat::kNone), "optimization_barrier"), 0);
  EXPECT_EQ(count(text(Remat::kLayers), "stablehlo.tanh"), 4);
  EXPECT_EQ(count(text(Remat::kLayers), "optimization_barrier"), 2);
}

TEST(Remat, DoesNotChangeTheForwardPass) {
  const Layer layer;
  const auto text = [&](Remat policy) {
    return to_stablehlo({.parameters = layer.parameters(), .results = {layer.loss(policy)}, .aliases = {}}, {});
  };
  EXPECT_EQ(text(Remat::kLayers), text(Remat::kNone));
}

TEST(Remat, ErrorNamesBothOperands) {
  const Value x = parameter("x", {DType::kFloat32, {3}}), y = parameter("y", {DType::kFloat32, {4}});
  expect_shape_error([&] { remat(x, exp(y), Remat::kLayers); }, {"remat", "float32[3]", "float32[4]"});
}

TEST(OptimizationBarrier, ReturnsItsOperands) {
  const Value x = parameter("x", {DType::kFloat32, {2, 3}}), n = parameter("n", {DType::kInt32, {2}});
  const std::vector<Tensor> inputs{random(x.type()), Tensor({2}, {int32_t{7}, int32_t{-8}})};
  for (const Device* device : {&kernels(), &decompositions()}) {
    // x is used after the barrier, too, so that the result must not share its memory.
    const Values behind = optimization_barrier({x * 2.0, n});
    const auto found = evaluate({behind[0] + 1.0, behind[1], x * 2.0 + behind[0]}, {x, n}, inputs, *device);
    const float first = inputs[0].as<float>()[0];
    EXPECT_FLOAT_EQ(found[0].as<float>()[0], 2 * first + 1);
    EXPECT_EQ(found[1].as<int32_t>()[1], -8);
    EXPECT_FLOAT_EQ(found[2].as<float>()[0], 4 * first);
  }
}

TEST(OptimizationBarrier, GradientMatchesFiniteDifferences) {
  check_gradient(
      [](const Values& x) {
        const Values behind = optimization_barrier(x);
        return behind[0] * behind[1];
      },
      {random({2, 3}, 1), random({2, 3}, 2)});
}

}  // namespace
}  // namespace portatune::test
