#include "portatune/graph/live_values.h"

#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "portatune/graph/matrix_flops.h"
#include "portatune/graph/ops/known_gradients.h"
#include "portatune/graph/ops/while_loop.h"

namespace portatune::test {
namespace {

const Tensor kRows({6, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f, 10.0f, 11.0f, 12.0f});

// x x^T of two rows at a time, and x^T x.
struct Products {
  Value x = parameter("x", kRows.type()), index = parameter("index", {DType::kInt32, {}});
  LoopValues loop = loop_over(products_of(dynamic_slice(x, 0, index * 2.0, 2)), index, 3);

  static LoopValues products_of(const Value& rows) {
    const Value columns = transpose(rows, {1, 0});
    return {.sums = {matmul(columns, rows)}, .parts = {matmul(rows, columns)}};
  }
  Function function(Values results) const { return {.parameters = {x}, .results = std::move(results)}; }
};

int64_t count_of(const std::string& text, const std::string& part) {
  int64_t count = 0;
  for (size_t i = text.find(part); i != std::string::npos; i = text.find(part, i + 1)) ++count;
  return count;
}
int64_t products_in(const Function& function) { return count_of(to_stablehlo(function, {}), "stablehlo.dot_general"); }
double flops_of(const Function& function) {
  double sum = 0;
  for (const auto& [dtype, count] : matrix_flops(function)) sum += count;
  return sum;
}

TEST(LiveValues, ALoopComputesOnlyTheUsedResults) {
  const Products products;
  const Function of_sum = products.function({products.loop.sums[0]}), of_parts = products.function(products.loop.parts),
                 of_both = products.function({products.loop.sums[0], products.loop.parts[0]});
  EXPECT_EQ(products_in(of_sum), 1);
  EXPECT_EQ(products_in(of_parts), 1);
  EXPECT_EQ(products_in(of_both), 2);
  constexpr double kFlops = 3 * 2 * 2 * 2 * 2;  // of three products of 2 x 2 matrices
  EXPECT_EQ(flops_of(of_sum), kFlops);
  EXPECT_EQ(flops_of(of_both), 2 * kFlops);
  const auto found_sum = evaluate(of_sum.results, of_sum.parameters, {kRows}),
             found_parts = evaluate(of_parts.results, of_parts.parameters, {kRows}),
             found_both = evaluate(of_both.results, of_both.parameters, {kRows});
  EXPECT_EQ(to_floats(found_sum[0].view()), (std::vector<float>{286, 322, 322, 364}));
  EXPECT_EQ(to_floats(found_both[0].view()), to_floats(found_sum[0].view()));
  EXPECT_EQ(to_floats(found_both[1].view()), to_floats(found_parts[0].view()));
  EXPECT_EQ(found_parts[0].as<float>()[11], 11 * 11 + 12 * 12);
}

// What only an unused result of the outer loop needs, the inner loop does not compute.
TEST(LiveValues, IncludeWhatNestedLoopsNeed) {
  const Products products;
  const Value outer = parameter("outer", {DType::kInt32, {}});
  const Value factor = convert(outer, DType::kFloat32);
  const LoopValues loop =
      loop_over({.sums = {products.loop.sums[0] * factor, products.loop.parts[0] * factor}, .parts = {}}, outer, 3);
  const Function function = products.function({loop.sums[0]});
  EXPECT_EQ(products_in(function), 1);
  EXPECT_EQ(products_in(products.function(loop.sums)), 2);
  const auto found = evaluate(function.results, function.parameters, {kRows});
  EXPECT_EQ(to_floats(found[0].view()), (std::vector<float>{858, 966, 966, 1092}));
}

TEST(LiveValues, IncludeKnownGradientsOnlyIfTheyAreUsed) {
  const Products products;
  const Value squares = sum(products.x * products.x), z = parameter("z", {DType::kFloat32, {2, 2}});
  const Value y = with_gradients(squares, {products.x, z}, {products.x, products.loop.sums[0]});
  const auto text = [&](const Value& result) {
    return to_stablehlo({.parameters = {products.x, z}, .results = {result}}, {});
  };
  EXPECT_EQ(count_of(text(y), "stablehlo.while"), 0);
  EXPECT_EQ(count_of(text(gradients(y, Values{products.x})[0]), "stablehlo.while"), 0);
  EXPECT_EQ(count_of(text(gradients(y, Values{z})[0]), "stablehlo.while"), 1);
}

// remat() computes the loop again, for which it needs all of its results.
TEST(LiveValues, IncludeAllResultsOfALoopThatIsComputedAgain) {
  const auto gradient_with = [](Remat policy) {
    const Products products;
    const Value known = products.x * sum(products.loop.parts[0]);
    const Value y = tanh(with_gradients(sum(products.loop.sums[0]) * 1e-3, {products.x}, {known}));
    const Value loss = tanh(remat(products.x, y, policy));
    return to_floats(evaluate(gradients(loss, Values{products.x}), {products.x}, {kRows})[0].view());
  };
  EXPECT_NE(gradient_with(Remat::kNone)[0], 0);
  EXPECT_EQ(gradient_with(Remat::kLayers), gradient_with(Remat::kNone));
}

}  // namespace
}  // namespace portatune::test
