#include "portatune/nn/adapted_layers.h"

#include <gtest/gtest.h>

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
