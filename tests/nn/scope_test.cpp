#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "portatune/error.h"
#include "portatune/nn.h"

namespace portatune::test {
namespace {

constexpr nn::Initializer kOnes{nn::Initializer::Kind::kOnes};
constexpr nn::Initializer kNormal{nn::Initializer::Kind::kNormal, 0.02};

Value some_key() { return constant(Tensor({2}, {uint32_t{0x12345678}, uint32_t{0x9ABCDEF0}})); }

TEST(Scope, PathsAreKeysOfTheCheckpoint) {
  nn::Context context({});
  const nn::Scope root(context);
  EXPECT_EQ(root.path(), "");
  EXPECT_EQ((root / "encoder" / "layer" / 3 / "output" / "dense").path(), "encoder.layer.3.output.dense");
}

TEST(Scope, ParametersAreNamedByTheirPath) {
  nn::Context context({});
  const nn::Scope root(context);
  (root / "classifier").parameter("weight", {2, 4}, kNormal);
  root.parameter("scale", {}, kOnes);
  ASSERT_EQ(context.parameters().size(), 2u);
  const nn::Parameter &weight = context.parameters()[0], &scale = context.parameters()[1];
  EXPECT_EQ(weight.name, "classifier.weight");
  EXPECT_EQ(weight.value.type(), (TensorType{DType::kFloat32, {2, 4}}));
  EXPECT_EQ(weight.initializer.kind, nn::Initializer::Kind::kNormal);
  EXPECT_EQ(weight.initializer.stddev, 0.02);
  EXPECT_EQ(scale.name, "scale");
  EXPECT_EQ(scale.initializer.kind, nn::Initializer::Kind::kOnes);
}

TEST(Scope, BuffersAreNotTrained) {
  nn::Context context({});
  const nn::Scope root(context);
  root.buffer("bias", {1, 3}, kOnes);
  root.parameter("weight", {3}, kOnes);
  const nn::Parameter &bias = context.parameters()[0], &weight = context.parameters()[1];
  EXPECT_TRUE(bias.is_buffer);
  EXPECT_FALSE(bias.trainable);
  EXPECT_FALSE(weight.is_buffer);
  EXPECT_TRUE(weight.trainable);
}

TEST(Scope, ParameterWithTheSameNameIsShared) {
  nn::Context context({});
  const nn::Scope root(context);
  const Value first = (root / "embeddings").parameter("weight", {3, 2}, kNormal);
  root.parameter("other", {1}, kOnes);
  EXPECT_EQ((nn::Scope(context) / "embeddings").parameter("weight", {3, 2}, kOnes), first);
  EXPECT_EQ(context.parameters().size(), 2u);
}

TEST(Scope, SharedParameterHasOneShape) {
  nn::Context context({});
  const nn::Scope s = nn::Scope(context) / "embeddings";
  s.parameter("weight", {3, 2}, kNormal);
  expect_shape_error([&] { s.parameter("weight", {2, 3}, kNormal); }, {"embeddings.weight", "[3, 2]", "[2, 3]"});
}

TEST(Scope, RandomKeyDependsOnThePathAlone) {
  nn::Context context({.training = true, .random_key = some_key()}),
      other({.training = true, .random_key = some_key()});
  const nn::Scope root(context);
  const std::vector<double> key = elements((root / "layer" / 0).random_key());
  EXPECT_EQ(elements((nn::Scope(other) / "layer.0").random_key()), key);
  // Independent masks need a different first half of the key.
  EXPECT_NE(elements((root / "layer" / 1).random_key())[0], key[0]);
  EXPECT_NE(elements(root.random_key())[0], key[0]);
}

TEST(Scope, RandomKeyIsTheKeyOfTheStepXorFnv1aOfThePath) {
  nn::Context context({.training = true, .random_key = some_key()});
  // FNV-1a, 64 bits, of "a" is 0xAF63DC4C8601EC8C (from the authors' test vectors).
  EXPECT_EQ(elements((nn::Scope(context) / "a").random_key()),
            (std::vector<double>{0x12345678u ^ 0x8601EC8Cu, 0x9ABCDEF0u ^ 0xAF63DC4Cu}));
}

TEST(Scope, SecondRandomKeyOfAScopeDiffers) {
  const auto two_keys = [] {
    nn::Context context({.training = true, .random_key = some_key()});
    const nn::Scope s = nn::Scope(context) / "layer";
    const std::vector<double> first = elements(s.random_key());
    return std::pair(first, elements((nn::Scope(context) / "layer").random_key()));
  };
  const auto [first, second] = two_keys();
  EXPECT_NE(first[0], second[0]);
  EXPECT_EQ(two_keys().second, second);
}

TEST(Scope, ErrorNamesAMissingRandomKey) {
  nn::Context context({.training = true});
  try {
    (nn::Scope(context) / "encoder" / 1).random_key();
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("encoder.1"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace portatune::test
