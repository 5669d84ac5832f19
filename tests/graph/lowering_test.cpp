#include "portatune/graph/lowering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr DType kF32 = DType::kFloat32;
const TensorType kVector{kF32, {2}};

size_t count(const std::string& text, const std::string& part) {
  size_t times = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++times;
  return times;
}

TEST(Lowering, WritesAModule) {
  const Value x = parameter("x", kVector), y = parameter("y", kVector);
  EXPECT_EQ(to_stablehlo({.parameters = {x, y}, .results = {x + y, x}}, {}),
            "module @portatune {\n"
            "  func.func public @main(%arg0: tensor<2xf32>,\n"
            "      %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
            "    %0 = \"stablehlo.add\"(%arg0, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
            "    return %0, %arg0 : tensor<2xf32>, tensor<2xf32>\n"
            "  }\n"
            "}\n");
}

TEST(Lowering, IsTheSameTextEveryTime) {
  const auto text = [] {
    const Value x = parameter("x", kVector);
    const Value loss = sum(tanh(x) * x);
    return to_stablehlo({.parameters = {x}, .results = gradients(loss, Values{x})}, {});
  };
  EXPECT_EQ(text(), text());
}

TEST(Lowering, WritesASharedValueOnce) {
  const Value x = parameter("x", kVector);
  const Value e = exp(x);
  EXPECT_EQ(count(to_stablehlo({.parameters = {x}, .results = {e + e, e * e}}, {}), "stablehlo.exponential"), 1u);
}

TEST(Lowering, OmitsUnusedValues) {
  const Value x = parameter("x", kVector), unused = parameter("unused", kVector);
  const Value ignored = exp(x), y = neg(x);
  const std::string text = to_stablehlo({.parameters = {x, unused}, .results = {y}}, {});
  EXPECT_THAT(text, AllOf(HasSubstr("stablehlo.negate"), Not(HasSubstr("stablehlo.exponential")), HasSubstr("%arg1")));
}

// ---- composites

Function linear_function() {
  const Value x = parameter("x", {kF32, {2, 3}}), w = parameter("w", {kF32, {4, 3}}), b = parameter("b", {kF32, {4}});
  return {.parameters = {x, w, b}, .results = {linear(x, w, b)}};
}

TEST(Lowering, CompositeCallsTheKernelOfTheTarget) {
  const std::string text = to_stablehlo(linear_function(), {.kernels = {"portatune.linear"}});
  EXPECT_THAT(text, AllOf(HasSubstr("stablehlo.custom_call"), HasSubstr("call_target_name = \"portatune.linear\""),
                          HasSubstr("api_version = 4 : i32"), Not(HasSubstr("dot_general"))));
}

TEST(Lowering, CompositeWithoutItsKernelIsDecomposed) {
  const std::string text = to_stablehlo(linear_function(), {.kernels = {"portatune.layer_norm"}});
  EXPECT_THAT(text, AllOf(HasSubstr("stablehlo.dot_general"), Not(HasSubstr("custom_call"))));
}

TEST(Lowering, KernelInPlaceHasAliases) {
  Values parameters;
  for (const char* name : {"p", "m", "v", "dp"}) parameters.push_back(parameter(name, kVector));
  parameters.push_back(parameter("hyper", {kF32, {5}}));
  const AdamWState state = adamw({parameters[0], parameters[1], parameters[2]}, parameters[3], parameters[4], {});
  const std::string text = to_stablehlo({.parameters = parameters, .results = {state.parameter, state.m, state.v}},
                                        {.kernels = {"portatune.adamw"}});
  EXPECT_EQ(count(text, "#stablehlo.output_operand_alias<output_tuple_indices = ["), 3u);
  EXPECT_EQ(count(text, "stablehlo.custom_call"), 1u);
}

// ---- collectives between processes; each waits for the previous one

const Mesh kTwo{.data = 2};
const Target kProcesses{.kernels = {"portatune.all_reduce"}, .across_processes = true};

Value sum_of_two(const Value& x) { return all_reduce(x, kTwo, {MeshAxis::kData}); }

TEST(Lowering, CollectivesBetweenProcessesAreOrderedCalls) {
  const Value x = parameter("x", kVector);
  const Function function{.parameters = {x}, .results = {sum_of_two(x), sum_of_two(neg(x))}, .mesh = kTwo};
  const std::string text = to_stablehlo(function, kProcesses);
  EXPECT_EQ(count(text, "\"portatune.all_reduce\""), 2u);
  EXPECT_THAT(text, AllOf(HasSubstr("groups = array<i64: 0, 1>"), HasSubstr("group_size = 2 : i64"),
                          ContainsRegex("custom_call\"\\(%[0-9]+, %[0-9]+#1\\)"), Not(HasSubstr("replicas"))));
  EXPECT_THAT(to_stablehlo(function, {}), AllOf(HasSubstr("stablehlo.all_reduce"), HasSubstr("replicas")));
}

TEST(Lowering, CollectivesAfterALoopWaitForTheLoop) {
  const Value x = parameter("x", kVector), index = parameter("i", {DType::kInt32, {}});
  const Value in_loop = sum_of_two(x * convert(index, kF32));
  const Value after = sum_of_two(loop_sum({in_loop}, index, 3)[0]);
  const std::string text = to_stablehlo({.parameters = {x}, .results = {after}, .mesh = kTwo}, kProcesses);
  EXPECT_EQ(count(text, "\"portatune.all_reduce\""), 2u);
  EXPECT_THAT(text, ContainsRegex("custom_call\"\\(%[0-9]+#1, %[0-9]+#0\\)")) << "the counter of the loop";
}

// ---- aliases

TEST(Lowering, AliasBecomesAnAttributeOfTheArgument) {
  const Value x = parameter("x", kVector), y = parameter("y", kVector);
  const std::string text = to_stablehlo({.parameters = {x, y}, .results = {neg(x), neg(y)}, .aliases = {{1, 0}}}, {});
  EXPECT_THAT(text, HasSubstr("%arg0: tensor<2xf32>,\n      %arg1: tensor<2xf32> {tf.aliasing_output = 0 : i32})"));
}

TEST(Lowering, AliasOfAnotherTypeIsRefused) {
  const Value x = parameter("x", kVector);
  const Function function{.parameters = {x}, .results = {x, sum(x)}, .aliases = {{0, 1}}};
  expect_shape_error([&] { to_stablehlo(function, {}); },
                     {"alias of parameter 0", "float32[] as result 1", "float32[2]"});
}

TEST(Lowering, AliasOutOfRangeIsRefused) {
  const Value x = parameter("x", kVector);
  EXPECT_THAT(message_of<UsageError>([&] {
                to_stablehlo({.parameters = {x}, .results = {x}, .aliases = {{0, 1}}}, {});
              }),
              HasSubstr("result 1"));
  EXPECT_THAT(message_of<UsageError>([&] {
                to_stablehlo({.parameters = {x}, .results = {x}, .aliases = {{2, 0}}}, {});
              }),
              HasSubstr("parameter 2"));
}

TEST(Lowering, AliasesAreDistinct) {
  const Value x = parameter("x", kVector), y = parameter("y", kVector);
  EXPECT_THAT(message_of<UsageError>([&] {
                to_stablehlo({.parameters = {x, y}, .results = {x + y}, .aliases = {{0, 0}, {1, 0}}}, {});
              }),
              HasSubstr("result 0"));
}

// ---- parameters

TEST(Lowering, ErrorNamesAMissingParameter) {
  const Value x = parameter("x", kVector), forgotten = parameter("forgotten", kVector);
  EXPECT_THAT(message_of<UsageError>([&] { to_stablehlo({.parameters = {x}, .results = {x + forgotten}}, {}); }),
              HasSubstr("\"forgotten\""));
}

TEST(Lowering, ParameterGivenTwiceIsRefused) {
  const Value x = parameter("x", kVector);
  EXPECT_THAT(message_of<UsageError>([&] {
                to_stablehlo({.parameters = {x, x}, .results = {x}}, {});
              }),
              HasSubstr("\"x\""));
}

}  // namespace
}  // namespace portatune::test
