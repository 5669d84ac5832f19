#include "portatune/graph/stablehlo/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "graph/evaluate.h"

namespace portatune::test {
namespace {

using stablehlo::scalar_text;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor bools(const Shape& shape, const std::vector<bool>& values) {
  Tensor tensor({DType::kBool, shape});
  for (size_t i = 0; i < values.size(); ++i) tensor.data()[i] = std::byte{values[i]};
  return tensor;
}

TEST(Writer, SpellsTypesAsMlirDoes) {
  EXPECT_EQ(stablehlo::type_text({DType::kFloat32, {}}), "tensor<f32>");
  EXPECT_EQ(stablehlo::type_text({DType::kBFloat16, {8, 128}}), "tensor<8x128xbf16>");
  EXPECT_EQ(stablehlo::type_text({DType::kBool, {3}}), "tensor<3xi1>");
  EXPECT_EQ(stablehlo::type_text({DType::kUInt32, {2, 0}}), "tensor<2x0xui32>");
}

TEST(Writer, SpellsEveryElementType) {
  const std::vector<std::pair<DType, std::string_view>> names{
      {DType::kBool, "i1"},     {DType::kInt8, "i8"},       {DType::kUInt8, "ui8"},   {DType::kInt16, "i16"},
      {DType::kInt32, "i32"},   {DType::kUInt32, "ui32"},   {DType::kInt64, "i64"},   {DType::kUInt64, "ui64"},
      {DType::kFloat16, "f16"}, {DType::kBFloat16, "bf16"}, {DType::kFloat32, "f32"}, {DType::kFloat64, "f64"}};
  for (const auto& [dtype, name] : names) EXPECT_EQ(stablehlo::element_type_text(dtype), name);
}

TEST(Writer, WritesIntegersWithoutAPoint) {
  EXPECT_EQ(scalar_text(DType::kInt32, 42), "42");
  EXPECT_EQ(scalar_text(DType::kInt32, -2147483648.0), "-2147483648");
  EXPECT_EQ(scalar_text(DType::kUInt32, 4294967295.0), "4294967295");
  EXPECT_EQ(scalar_text(DType::kInt8, -1), "-1");
  EXPECT_EQ(scalar_text(DType::kUInt64, 0x1p63), "9223372036854775808");
}

TEST(Writer, WritesBoolsAsWords) {
  EXPECT_EQ(scalar_text(DType::kBool, 1), "true");
  EXPECT_EQ(scalar_text(DType::kBool, 0), "false");
}

TEST(Writer, WritesFloatsWithoutLoss) {
  EXPECT_EQ(scalar_text(DType::kFloat32, 1), "1.000000000e+00");
  EXPECT_EQ(scalar_text(DType::kFloat32, -0.0), "-0.000000000e+00");
  EXPECT_EQ(scalar_text(DType::kBFloat16, -2.5), "-2.500000000e+00");
  for (const float value : {0.1f, 16777216.0f, 3.4028235e38f, 1e-45f, std::nextafter(1.0f, 2.0f)}) {
    EXPECT_EQ(std::strtof(scalar_text(DType::kFloat32, value).c_str(), nullptr), value);
  }
  EXPECT_EQ(std::strtod(scalar_text(DType::kFloat64, 0.1 + 0.2).c_str(), nullptr), 0.1 + 0.2);
}

TEST(Writer, WritesTheBitsOfInfinitiesAndNan) {
  EXPECT_EQ(scalar_text(DType::kFloat32, kInfinity), "0x7F800000");
  EXPECT_EQ(scalar_text(DType::kFloat32, -kInfinity), "0xFF800000");
  EXPECT_EQ(scalar_text(DType::kFloat32, kNan), "0x7FC00000");
  EXPECT_EQ(scalar_text(DType::kFloat64, -kInfinity), "0xFFF0000000000000");
  EXPECT_EQ(scalar_text(DType::kBFloat16, kInfinity), "0x7F80");
  EXPECT_EQ(scalar_text(DType::kBFloat16, kNan), "0x7FC0");
  EXPECT_EQ(scalar_text(DType::kFloat16, -kInfinity), "0xFC00");
  EXPECT_EQ(scalar_text(DType::kFloat16, kNan), "0x7E00");
}

TEST(Writer, WritesSplats) {
  EXPECT_EQ(stablehlo::splat_text({DType::kFloat32, {2, 3}}, 0.5), "dense<5.000000000e-01> : tensor<2x3xf32>");
  EXPECT_EQ(stablehlo::splat_text({DType::kBool, {4}}, 1), "dense<true> : tensor<4xi1>");
  EXPECT_EQ(stablehlo::splat_text({DType::kInt32, {}}, -7), "dense<-7> : tensor<i32>");
}

TEST(Writer, WritesArraysAsTheirBytes) {
  EXPECT_EQ(stablehlo::dense_text(Tensor({2}, {1.0f, -2.0f}).view()), "dense<\"0x0000803F000000C0\"> : tensor<2xf32>");
  EXPECT_EQ(stablehlo::dense_text(Tensor({1}, {int32_t{258}}).view()), "dense<\"0x02010000\"> : tensor<1xi32>");
}

TEST(Writer, NestsTheBoolsOfAnArray) {
  EXPECT_EQ(stablehlo::dense_text(bools({2}, {true, false}).view()), "dense<[true, false]> : tensor<2xi1>");
  EXPECT_EQ(stablehlo::dense_text(bools({2, 2}, {true, false, false, true}).view()),
            "dense<[[true, false], [false, true]]> : tensor<2x2xi1>");
  EXPECT_EQ(stablehlo::dense_text(bools({}, {true}).view()), "dense<true> : tensor<i1>");
}

TEST(Writer, ListsSizes) {
  EXPECT_EQ(stablehlo::array_text({1, 2}), "array<i64: 1, 2>");
  EXPECT_EQ(stablehlo::array_text({}), "array<i64>");
  EXPECT_EQ(stablehlo::list_text({1, 2}), "[1, 2]");
  EXPECT_EQ(stablehlo::list_text({}), "[]");
}

TEST(Writer, WritesAModule) {
  const TensorType type{DType::kFloat32, {2}};
  stablehlo::Writer writer;
  const std::vector<std::string> sum = writer.write(
      {.name = "stablehlo.add", .operands = {"%arg0", "%arg1"}, .operand_types = {type, type}, .result_types = {type}});
  ASSERT_EQ(sum, std::vector<std::string>{"%0"});
  EXPECT_EQ(writer.module({{"%arg0", type, 0}, {"%arg1", type}}, sum, {type}),
            "module @portatune {\n"
            "  func.func public @main(%arg0: tensor<2xf32> {tf.aliasing_output = 0 : i32},\n"
            "      %arg1: tensor<2xf32>) -> (tensor<2xf32>) {\n"
            "    %0 = \"stablehlo.add\"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
            "    return %0 : tensor<2xf32>\n"
            "  }\n"
            "}\n");
}

TEST(Writer, NumbersTheResultsOfAnOperation) {
  const TensorType type{DType::kFloat32, {}};
  stablehlo::Writer writer;
  EXPECT_EQ(writer.write({.name = "stablehlo.custom_call",
                          .operands = {"%arg0"},
                          .operand_types = {type},
                          .result_types = {type, type},
                          .attributes = {{"call_target_name", "\"f\""}, {"api_version", "4 : i32"}},
                          .region = "{ }"}),
            (std::vector<std::string>{"%0#0", "%0#1"}));
  const std::string text = writer.module({{"%arg0", type}}, {"%0#1"}, {type});
  EXPECT_NE(text.find("    %0:2 = \"stablehlo.custom_call\"(%arg0) <{call_target_name = \"f\", api_version = 4 : i32}>"
                      " ({ }) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)\n    return %0#1 : tensor<f32>\n"),
            std::string::npos)
      << text;
}

// ---- what the plugin reads from the text

TEST(Writer, PluginReadsEveryNumberExactly) {
  EXPECT_EQ(elements(full({DType::kFloat32, {}}, 0.1f)), std::vector<double>{0.1f});
  EXPECT_EQ(elements(full({DType::kFloat32, {}}, -kInfinity)), std::vector<double>{-kInfinity});
  EXPECT_EQ(elements(full({DType::kBFloat16, {}}, kInfinity)), std::vector<double>{kInfinity});
  EXPECT_EQ(elements(full({DType::kUInt32, {}}, 4294967295.0)), std::vector<double>{4294967295.0});
  EXPECT_TRUE(std::isnan(elements(full({DType::kFloat16, {}}, kNan)).front()));
}

TEST(Writer, PluginReadsArraysOfAnyRank) {
  EXPECT_EQ(elements(constant(bools({2, 2}, {true, false, false, true}))), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(elements(constant(bools({}, {true}))), std::vector<double>{1});
  EXPECT_EQ(elements(constant(Tensor({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}))), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(elements(constant(Tensor(Shape{}, {5.0f}))), std::vector<double>{5});
  EXPECT_TRUE(elements(constant(Tensor({DType::kFloat32, {0, 3}}))).empty());
  EXPECT_TRUE(elements(constant(bools({0}, {}))).empty());
}

}  // namespace
}  // namespace portatune::test
