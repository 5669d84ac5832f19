// Queries, keys and values of self-attention. The cases of tests/models compare what models make of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "portatune/nn.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;

Value inputs() { return constant(random(TensorType{DType::kFloat32, {2, 3, 8}})); }

TEST(SelfAttention, ProjectsByThreeLayersInTheirOrder) {
  nn::Context context({});
  const auto heads = project(nn::Scope(context) / "self", inputs(),
                             {.heads = 4, .head_size = 2, .kv_heads = 2, .dropout = 0.1, .linear = {.bias = false}});
  std::vector<std::string> names;
  for (const nn::Parameter& parameter : context.parameters()) names.push_back(parameter.name);
  EXPECT_THAT(names, ElementsAre("self.query.weight", "self.key.weight", "self.value.weight"));
  EXPECT_EQ(heads.q.shape(), Shape({2, 3, 8}));
  EXPECT_EQ(heads.k.shape(), Shape({2, 3, 4}));
  EXPECT_EQ(heads.v.shape(), Shape({2, 3, 4}));
  EXPECT_EQ(heads.options.kv_heads, 2);
  EXPECT_EQ(heads.options.dropout, 0.1);
  EXPECT_DOUBLE_EQ(heads.options.scale * heads.options.scale, 0.5);
}

TEST(SelfAttention, DeviceHasItsPartOfTheHeads) {
  nn::Context context({.mesh = {.tensor = 2}});
  const nn::Scope s(context);
  const nn::SelfAttention a{.heads = 4, .head_size = 2, .kv_heads = 2};
  const auto heads = project(s / "self", inputs(), a);
  EXPECT_EQ(heads.q.shape(), Shape({2, 3, 4}));
  EXPECT_EQ(heads.k.shape(), Shape({2, 3, 2}));
  EXPECT_EQ(heads.options.heads, 2);
  EXPECT_EQ(heads.options.kv_heads, 1);
  EXPECT_EQ(heads.options.dropout_heads, 4);
}

TEST(SelfAttention, SplitsAJointProjection) {
  nn::Context context({});
  const Value x = inputs(), joint = concatenate({x, x * 2, x * 3}, 2);
  const auto heads = split_projection(nn::Scope(context), joint, {.heads = 4, .head_size = 2});
  const std::vector<Tensor> found = evaluate({heads.q - x, heads.k - x * 2, heads.v - x * 3});
  for (const Tensor& difference : found) EXPECT_THAT(difference.as<float>(), ::testing::Each(0));
}

TEST(SelfAttention, SplitsAJointProjectionByHead) {
  nn::Context context({});
  const Value x = inputs(), by_head = reshape(x, {2, 3, 4, 2});  // [.., heads, head_size]
  const Value joint = reshape(concatenate({by_head, by_head * 2, by_head * 3}, 3), {2, 3, 24});
  const auto heads = split_projection_by_head(nn::Scope(context), joint, {.heads = 4, .head_size = 2});
  const std::vector<Tensor> found = evaluate({heads.q - x, heads.k - x * 2, heads.v - x * 3});
  for (const Tensor& difference : found) EXPECT_THAT(difference.as<float>(), ::testing::Each(0));
}

TEST(SelfAttention, IsAttentionOfTheProjections) {
  nn::Context context({});
  const nn::Scope s(context);
  const nn::SelfAttention a{.heads = 2, .head_size = 4, .band = {.after = 0}};
  const Value x = inputs(), mask = full({DType::kFloat32, {2, 1, 1, 3}}, 0);
  const Value found = self_attention(s, x, mask, a);
  const auto heads = project(s, x, a);
  const Value wanted =
      portatune::attention(heads.q, heads.k, heads.v, mask, {.heads = 2, .scale = 0.5, .band = {.after = 0}});
  Values parameters;
  std::vector<Tensor> weights;
  for (const nn::Parameter& parameter : context.parameters()) {
    parameters.push_back(parameter.value);
    weights.push_back(random(parameter.value.type(), static_cast<uint32_t>(weights.size()) + 2));
  }
  const std::vector<Tensor> difference = evaluate({found - wanted}, parameters, weights);
  EXPECT_THAT(difference[0].as<float>(), ::testing::Each(0));
}

}  // namespace
}  // namespace portatune::test
