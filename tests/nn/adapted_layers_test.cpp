#include "portatune/nn/adapted_layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/nn.h"

namespace portatune::test {
namespace {

constexpr const char* kQuery = "bert.encoder.layer.1.attention.self.query";

TEST(AdaptedLayers, AreNamedByTheEndOfTheirPath) {
  for (const char* name : {"query", "self.query", kQuery}) EXPECT_TRUE(nn::is_named(kQuery, name)) << name;
  for (const char* name : {"uery", "self", "key", "encoder.query"}) EXPECT_FALSE(nn::is_named(kQuery, name)) << name;
}

TEST(AdaptedLayers, SavedModulesEndInANameAsInPeft) {
  const Lora lora{.modules_to_save = {"classifier"}};
  for (const char* name : {"classifier.weight", "pre_classifier.bias", "classifier.out_proj.weight"}) {
    EXPECT_TRUE(nn::is_saved(lora, name)) << name;
  }
  for (const char* name : {"bert.pooler.dense.weight", "classifiers.weight"}) EXPECT_FALSE(nn::is_saved(lora, name));
}

TEST(AdaptedLayers, HaveRankAndScaleOfTheirPattern) {
  Lora lora{.rank = 4, .alpha = 2, .target_modules = {"query", "dense"}};
  lora.rank_pattern["attention.self.query"] = 16;
  lora.alpha_pattern["dense"] = 6;
  EXPECT_EQ(nn::adapted_layer(lora, kQuery)->rank, 16);
  EXPECT_EQ(nn::adapted_layer(lora, kQuery)->scale, 2.0 / 16);
  EXPECT_EQ(nn::adapted_layer(lora, "bert.pooler.dense")->scale, 6.0 / 4);
  EXPECT_FALSE(nn::adapted_layer(lora, "bert.encoder.layer.1.attention.self.value"));
  lora.use_rslora = true;
  EXPECT_EQ(nn::adapted_layer(lora, kQuery)->scale, 2.0 / 4);
}

TEST(AdaptedLayers, AllLinearIsAllButSavedModules) {
  const Lora lora{.target_modules = {kAllLinear}, .modules_to_save = {"classifier"}};
  EXPECT_TRUE(nn::adapted_layer(lora, "bert.pooler.dense"));
  EXPECT_FALSE(nn::adapted_layer(lora, "classifier"));
}

// y + 3 x A^T B^T
void expect_adapted(Value (*layer)(const nn::Scope&, const Value&, int64_t, const nn::LinearOptions&)) {
  nn::Context context({.lora = Lora{.rank = 1, .alpha = 3, .target_modules = {"dense"}}});
  const Value x = constant(Tensor({1, 2}, {3.0f, 5.0f}));
  const Value y = layer(nn::Scope(context) / "dense", x, 2, {.bias = false});
  ASSERT_EQ(context.parameters().size(), 3);
  const nn::Parameter &weight = context.parameters()[0], &a = context.parameters()[1], &b = context.parameters()[2];
  EXPECT_EQ(a.name, "dense.lora_A.weight");
  EXPECT_EQ(b.name, "dense.lora_B.weight");
  EXPECT_TRUE(!weight.trainable && a.trainable && b.trainable);
  EXPECT_EQ(a.initializer.kind, nn::Initializer::Kind::kUniform);
  EXPECT_DOUBLE_EQ(std::sqrt(3.0) * a.initializer.stddev, 1 / std::sqrt(2.0));
  EXPECT_EQ(b.initializer.kind, nn::Initializer::Kind::kZeros);
  const Tensor identity({2, 2}, {1.0f, 0.0f, 0.0f, 1.0f});
  const std::vector<Tensor> found = evaluate({y}, {weight.value, a.value, b.value},
                                             {identity, Tensor({1, 2}, {1.0f, 2.0f}), Tensor({2, 1}, {1.0f, -1.0f})});
  EXPECT_EQ(to_floats(found.front().view()), (std::vector<float>{3 + 39, 5 - 39}));
}

TEST(AdaptedLayers, LinearAddsTheProductOfItsAdapter) { expect_adapted(nn::linear); }
TEST(AdaptedLayers, Conv1dAddsTheProductOfItsAdapter) { expect_adapted(nn::conv1d); }

// (magnitude / norm) (x W^T + 3 x A^T B^T) + bias, with the norms of W + 3 B A: of (3, 4) and (-3, -12)
void expect_decomposed(Value (*layer)(const nn::Scope&, const Value&, int64_t, const nn::LinearOptions&),
                       const Tensor& w, int64_t axis) {
  nn::Context context({.lora = Lora{.rank = 1, .alpha = 3, .use_dora = true, .target_modules = {"dense"}}});
  const Value x = constant(Tensor({1, 2}, {1.0f, 1.0f}));
  const Value y = layer(nn::Scope(context) / "dense", x, 2, {});
  Values parameters, trained;
  std::vector<Tensor> values;
  for (const nn::Parameter& parameter : context.parameters()) {
    parameters.push_back(parameter.value);
    if (parameter.trainable) trained.push_back(parameter.value);
    if (parameter.name == "dense.weight") values.push_back(w);
    if (parameter.name == "dense.bias") values.emplace_back(Tensor({2}, {0.5f, 0.25f}));
    if (parameter.name == "dense.lora_A.weight") values.emplace_back(Tensor({1, 2}, {1.0f, 2.0f}));
    if (parameter.name == "dense.lora_B.weight") values.emplace_back(Tensor({2, 1}, {1.0f, -1.0f}));
    if (parameter.name != "dense.lora_magnitude_vector") continue;
    EXPECT_EQ(parameter.initializer.kind, nn::Initializer::Kind::kNorms);
    EXPECT_EQ(parameter.initializer.axis, axis);
    values.emplace_back(Tensor({2}, {10.0f, 153.0f}));
  }
  ASSERT_EQ(values.size(), 5);
  Values results = gradients(sum(y), trained);
  ASSERT_EQ(results.size(), 3);  // of A, B and the magnitude, which treat the norms as constants
  results.insert(results.begin(), y);
  const std::vector<Tensor> found = evaluate(results, parameters, values);
  const auto expect = [&](size_t result, const std::vector<float>& wanted) {
    const std::vector<float> is = to_floats(found[result].view());
    ASSERT_EQ(is.size(), wanted.size());
    for (size_t i = 0; i < is.size(); ++i) EXPECT_NEAR(is[i], wanted[i], 1e-4) << result << " " << i;
  };
  const double norm = std::sqrt(153.0), factor = 153 / norm;
  expect(0, {14.5f, static_cast<float>(-15 * factor + 0.25)});
  const auto da = static_cast<float>(3 * (2 - factor));  // scale x (factors x B)
  expect(1, {da, da});
  expect(2, {18.0f, static_cast<float>(9 * factor)});
  expect(3, {7.0f / 5, static_cast<float>(-15 / norm)});
}

TEST(AdaptedLayers, LinearHasTheNormsOfDora) {
  expect_decomposed(nn::linear, Tensor({2, 2}, {0.0f, -2.0f, 0.0f, -6.0f}), 1);
}
TEST(AdaptedLayers, Conv1dHasTheNormsOfDora) {
  expect_decomposed(nn::conv1d, Tensor({2, 2}, {0.0f, 0.0f, -2.0f, -6.0f}), 0);
}

// x + 3 dropout(x), as in peft: the weights and B A are identities.
TEST(AdaptedLayers, DropoutConcernsTheInputOfTheAdapterAlone) {
  constexpr int64_t kSize = 200;
  const Lora lora{.rank = kSize, .alpha = 3.0 * kSize, .dropout = 0.25, .target_modules = {"dense"}};
  for (const bool training : {false, true}) {
    nn::Context context(
        {.training = training, .random_key = constant(Tensor({2}, {uint32_t{1}, uint32_t{2}})), .lora = lora});
    const Value y =
        nn::linear(nn::Scope(context) / "dense", full({DType::kFloat32, {1, kSize}}, 1), kSize, {.bias = false});
    Tensor identity(TensorType{DType::kFloat32, {kSize, kSize}});
    for (int64_t i = 0; i < kSize; ++i) identity.as<float>()[i * kSize + i] = 1;
    Values parameters;
    for (const nn::Parameter& parameter : context.parameters()) parameters.push_back(parameter.value);
    const std::vector<float> found =
        to_floats(evaluate({y}, parameters, {identity, identity, identity}).front().view());
    const auto kept = std::ranges::count(found, training ? 5.0f : 4.0f);  // 1 + 3 / 0.75
    EXPECT_EQ(kept + std::ranges::count(found, 1.0f), kSize);
    EXPECT_NEAR(static_cast<double>(kept), training ? 150 : kSize, training ? 5 * std::sqrt(kSize * 0.25 * 0.75) : 0);
  }
}

TEST(AdaptedLayers, BiasesAreTrainedByName) {
  Lora lora{.target_modules = {"query"}};
  EXPECT_FALSE(nn::is_trained(lora, "self.query.bias"));
  lora.bias = LoraBias::kLoraOnly;
  EXPECT_TRUE(nn::is_trained(lora, "self.query.bias"));
  for (const char* name : {"self.key.bias", "self.query.weight"}) EXPECT_FALSE(nn::is_trained(lora, name)) << name;
  lora.bias = LoraBias::kAll;
  for (const char* name : {"self.key.bias", "LayerNorm.bias"}) EXPECT_TRUE(nn::is_trained(lora, name)) << name;
  // No bias for peft, in spite of its name.
  EXPECT_FALSE(nn::is_trained(lora, "block.0.layer.0.SelfAttention.relative_attention_bias.weight"));
  EXPECT_FALSE(nn::is_trained(lora, "LayerNorm.weight"));
}

TEST(AdaptedLayers, TiedWeightsAreSavedTogether) {
  nn::Context context({.lora = Lora{.target_modules = {"dense"}, .modules_to_save = {"lm_head"}}});
  const nn::Scope root(context);
  nn::embedding(root / "embeddings", constant(Tensor({1}, {0})), 2, 3);
  EXPECT_NE(message_of<UsageError>([&] {
              (root / "lm_head").tied_parameter("weight", "embeddings.weight");
            }).find("one weight"),
            std::string::npos);
}

}  // namespace
}  // namespace portatune::test
