#include "portatune/runtime/pjrt/cache/module_signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/error.h"

namespace portatune::pjrt {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(ModuleSignature, ReadsTypesAndDonation) {
  const auto parameters = read_parameters(R"(module @m attributes {mhlo.num_replicas = 1 : i32} {
  func.func private @helper(%x: tensor<9xf32>) -> tensor<9xf32>
  func.func public @main(%arg0: tensor<2x3xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<bf16>,
                         %arg2: tensor<4xi1> {jax.buffer_donor = true, name = "a, (b"}, %arg3: tensor<0x5xui32>) -> (tensor<2x3xf32>) {
)");
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0].type, (TensorType{DType::kFloat32, {2, 3}}));
  EXPECT_TRUE(parameters[0].donated);
  EXPECT_EQ(parameters[1].type, (TensorType{DType::kBFloat16, {}}));
  EXPECT_FALSE(parameters[1].donated);
  EXPECT_EQ(parameters[2].type, (TensorType{DType::kBool, {4}}));
  EXPECT_TRUE(parameters[2].donated);
  EXPECT_EQ(parameters[3].type, (TensorType{DType::kUInt32, {0, 5}}));
}

TEST(ModuleSignature, ReadsNoParameters) {
  EXPECT_TRUE(read_parameters("func.func public @main() -> tensor<f32> {").empty());
}

TEST(ModuleSignature, RefusesInvalidModules) {
  for (const char* text :
       {"module {}", "@main(%x: tensor<2xf32>", "@main(%x: tensor<?xf32>) {", "@main(%x: tensor<2xcomplex<f32>>) {",
        "@main(%x: i32) {", "@main(%x: tensor<2f32>) {", "@main(%x: tensor<99999999999999999999xf32>) {"}) {
    EXPECT_THAT([&] { read_parameters(text); }, ThrowsMessage<UsageError>(HasSubstr("@main"))) << text;
  }
}

}  // namespace
}  // namespace portatune::pjrt
