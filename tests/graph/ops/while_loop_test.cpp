#include "portatune/graph/ops/while_loop.h"

#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "portatune/error.h"
#include "portatune/graph/matrix_flops.h"
#include "runtime/pjrt/aot.h"

namespace portatune::test {

namespace {

using Numbers = std::vector<double>;

Value number(int32_t value) { return constant(Tensor({}, {value})); }
Value below(const Value& x, const Value& limit) { return compare(Direction::kLess, x, limit); }

// Returns {steps, base^steps}; `base` and `steps` are values from outside the loop.
Values power_by_loop(const Value& base, const Value& steps) {
  return while_loop(
      {number(0), full(base.type(), 1)}, [&](const Values& v) { return below(v[0], steps); },
      [&](const Values& v) {
        return Values{v[0] + number(1), v[1] * (base + 0.0)};
      });
}

}  // namespace

TEST(WhileLoop, RepeatsTheBodyWhileTheConditionHolds) {
  const Value base = parameter("base", {DType::kFloat32, {2}}), steps = parameter("steps", {DType::kInt32, {}});
  const Values loop = power_by_loop(base * 1.0, steps);
  const std::vector<Tensor> three{Tensor({2}, {2.0f, 3.0f}), Tensor({}, {int32_t{3}})};
  EXPECT_EQ(evaluate(loop, {base, steps}, three)[0].as<int32_t>()[0], 3);
  EXPECT_EQ(evaluate(loop, {base, steps}, three)[1].as<float>()[1], 27);
  const std::vector<Tensor> none{Tensor({2}, {2.0f, 3.0f}), Tensor({}, {int32_t{0}})};
  EXPECT_EQ(evaluate(loop, {base, steps}, none)[1].as<float>()[1], 1);
}

TEST(WhileLoop, KeepsConstantsLocalToItsBody) {
  // The same constant is used before, in and after the loop.
  const Value two = full({DType::kFloat32, {}}, 2);
  const Values loop = while_loop(
      {two * two},
      [&](const Values& v) {
        return below(v[0], full({DType::kFloat32, {}}, 100));
      },
      [&](const Values& v) { return Values{v[0] * two}; });
  EXPECT_EQ(elements(loop[0] + two), (Numbers{130}));
}

TEST(WhileLoop, MayBeNested) {
  // 5 * 4 additions of 1.
  const Value one = number(1);
  const auto inner = [&](const Value& start) {
    return while_loop(
        {number(0), start}, [](const Values& v) { return below(v[0], number(4)); },
        [&](const Values& v) {
          return Values{v[0] + one, v[1] + one};
        })[1];
  };
  const Values loop = while_loop(
      {number(0), number(0)}, [](const Values& v) { return below(v[0], number(5)); },
      [&](const Values& v) {
        return Values{v[0] + one, inner(v[1])};
      });
  EXPECT_EQ(elements(loop[1]), (Numbers{20}));
}

TEST(WhileLoop, CallsKernelsInItsBody) {
  const Value x = parameter("x", {DType::kFloat32, {3, 4}}), w = parameter("w", {DType::kFloat32, {4, 4}});
  const Values loop = while_loop(
      {number(0), x}, [](const Values& v) { return below(v[0], number(2)); },
      [&](const Values& v) {
        return Values{v[0] + number(1), linear(v[1], w)};
      });
  const std::vector<Tensor> inputs{random(x.type(), 1), random(w.type(), 2)};
  const auto found = evaluate({loop[1]}, {x, w}, inputs, kernels()).front();
  const auto wanted = evaluate({linear(linear(x, w), w)}, {x, w}, inputs).front();
  for (size_t i = 0; i < 12; ++i) EXPECT_NEAR(found.as<float>()[i], wanted.as<float>()[i], 1e-5);
}

TEST(WhileLoop, RefusesAGradientByName) {
  const Value base = parameter("base", {DType::kFloat32, {2}});
  try {
    gradients(sum(power_by_loop(base, number(3))[1]), {&base, 1});
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("while_loop"), std::string::npos) << error.what();
  }
}

TEST(WhileLoop, ErrorsNameTheTypes) {
  const auto forever = [](const Values&) { return full({DType::kBool, {}}, true); };
  expect_shape_error(
      [&] {
        while_loop(
            {number(1)}, [](const Values& v) { return v[0]; }, [](const Values& v) { return v; });
      },
      {"while_loop", "bool scalar"});
  expect_shape_error(
      [&] { while_loop({number(1)}, forever, [](const Values& v) { return Values{convert(v[0], DType::kFloat32)}; }); },
      {"while_loop", "float32[]", "int32[]"});
}

TEST(LoopSum, AddsTheTermsOfAllIndices) {
  const Value x = parameter("x", {DType::kFloat32, {4, 2}}), index = parameter("index", {DType::kInt32, {}});
  const Value row = reshape(dynamic_slice(x, 0, index, 1), {2});
  const Values sums = loop_sum({row, convert(index, DType::kFloat32) * sum(row)}, index, 3);
  const std::vector<Tensor> inputs{Tensor({4, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 70.0f, 80.0f})};
  const std::vector<Tensor> found = evaluate(sums, {x}, inputs);
  EXPECT_EQ(to_floats(found[0].view()), (std::vector<float>{9, 12}));
  EXPECT_EQ(found[1].as<float>()[0], 0 * 3 + 1 * 7 + 2 * 11);
}

TEST(LoopSum, ErrorNamesTheIndex) {
  expect_shape_error([&] { loop_sum({number(1)}, number(0), 3); }, {"loop_sum", "int32[]", "a parameter"});
}

TEST(LoopOver, AddsUpSumsAndPutsPartsSideBySide) {
  const Value x = parameter("x", {DType::kFloat32, {6, 2}}), index = parameter("index", {DType::kInt32, {}});
  const Value part = dynamic_slice(x, 0, index * 2.0, 2);
  const LoopValues all = loop_over({.sums = {sum(part)}, .parts = {part * 10.0, reshape(index, {1})}}, index, 3);
  const Tensor values({6, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f, 10.0f, 11.0f, 12.0f});
  const std::vector<Tensor> found = evaluate({all.sums[0], all.parts[0], all.parts[1]}, {x}, {values});
  EXPECT_EQ(found[0].as<float>()[0], 78);
  EXPECT_EQ(to_floats(found[1].view()), (std::vector<float>{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120}));
  EXPECT_EQ(found[2].as<int32_t>()[2], 2);
}

// 0 + 1 + 2 in each of four iterations of the outer loop.
TEST(LoopOver, MayBeNested) {
  const Value inner = parameter("inner", {DType::kInt32, {}}), outer = parameter("outer", {DType::kInt32, {}});
  const Value of_inner = loop_over({.sums = {inner + outer}, .parts = {}}, inner, 3).sums[0];
  const LoopValues all = loop_over({.sums = {of_inner}, .parts = {reshape(of_inner, {1})}}, outer, 4);
  EXPECT_EQ(elements(all.sums[0]), (Numbers{4 * 3 + 3 * 6}));
  EXPECT_EQ(elements(all.parts[0]), (Numbers{3, 6, 9, 12}));
}

TEST(LoopOver, CountsTheProductsOfEachIteration) {
  const Value x = parameter("x", {DType::kFloat32, {6, 4}}), w = parameter("w", {DType::kFloat32, {5, 4}});
  const Value index = parameter("index", {DType::kInt32, {}});
  const Value whole = linear(x, w), part = linear(dynamic_slice(x, 0, index * 2.0, 2), w);
  const auto flops = [&](const Value& y) { return matrix_flops({.parameters = {x, w}, .results = {y}}); };
  EXPECT_EQ(flops(loop_over({.sums = {}, .parts = {part}}, index, 3).parts[0]), flops(whole));
}

// The factor depends on a constant, too.
TEST(LoopOver, ComputesValuesFromOutsideOnce) {
  const Value x = parameter("x", {DType::kFloat32, {6, 4}}), index = parameter("index", {DType::kInt32, {}});
  const Value outside = tanh(x * 2.0);
  const Value sum_of_rows = loop_over({.sums = {dynamic_slice(outside, 0, index, 1)}, .parts = {}}, index, 6).sums[0];
  const std::string text = to_stablehlo({.parameters = {x}, .results = {sum_of_rows}}, {});
  EXPECT_LT(text.find("stablehlo.tanh"), text.find("stablehlo.while"));
}

TEST(LoopOver, ErrorNamesAPartWithoutAxes) {
  const Value index = parameter("index", {DType::kInt32, {}});
  expect_shape_error([&] { loop_over({.sums = {}, .parts = {index}}, index, 3); },
                     {"loop_over", "int32[]", "one axis"});
}

class OpsAot : public ::testing::TestWithParam<pjrt::AotTarget> {};

// The ops whose text is more than a name and its operands, in one program.
TEST_P(OpsAot, LoopsSlicesAndTopKCompile) {
  PORTATUNE_SKIP_WITHOUT_PLUGIN(GetParam());
  const Value cache = parameter("cache", {DType::kBFloat16, {2, 16, 8}}),
              start = parameter("start", {DType::kInt32, {}});
  const Values loop = while_loop(
      {start, cache}, [](const Values& v) { return below(v[0], number(12)); },
      [&](const Values& v) {
        const Value row = dynamic_slice(v[1], 1, v[0] - number(1), 1);
        const TopK best = top_k(convert(row, DType::kFloat32), 3);
        const Value next = row + convert(sum(best.values, {-1}, ReducedAxes::kKeep), DType::kBFloat16);
        return Values{v[0] + number(1), dynamic_update_slice(v[1], next, 1, v[0])};
      });
  const Value rank = cumulative_sum(argmax(loop[1], -1));
  const Function function{.parameters = {cache, start}, .results = {loop[1], rank}, .aliases = {{0, 0}}};
  const pjrt::Executable compiled = pjrt::aot_topology(GetParam()).compile(to_stablehlo(function, {}));
  EXPECT_GE(compiled.memory_stats().aliased, cache.type().bytes());
}

INSTANTIATE_TEST_SUITE_P(Aot, OpsAot, ::testing::ValuesIn(pjrt::kAotTargets), pjrt::name_of_target);

}  // namespace portatune::test
