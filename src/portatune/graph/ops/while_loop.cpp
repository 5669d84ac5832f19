#include "portatune/graph/ops/while_loop.h"

#include <algorithm>
#include <unordered_set>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/graph/traversal.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// A function of values, the body of a region.
struct Region {
  Values arguments, results;
};

Values arguments_like(const Values& values) {
  Values arguments;
  for (const Value& value : values) arguments.push_back(parameter("a value of a while_loop", value.type()));
  return arguments;
}

Values chosen(const Values& values, const std::vector<size_t>& indices) {
  Values result;
  for (const size_t index : indices) result.push_back(values[index]);
  return result;
}

// The outside values that a region uses, without constants, which a region writes again.
Values captured_by(const Region& region) {
  std::unordered_set<const Node*> inside, constants;
  for (const Value& argument : region.arguments) inside.insert(&argument.node());
  const std::vector<const Node*> order = topological_order(region.results, [](const Value&) { return false; });
  for (const Node* node : order) {
    const auto& inputs = node->inputs();
    const bool depends = std::ranges::any_of(inputs, [&](const Value& x) { return x && inside.contains(&x.node()); });
    if (depends) {
      inside.insert(node);
    } else if (inputs.empty() && !is_parameter(*node)) {
      constants.insert(node);
    }
  }
  Values captured;
  const auto capture = [&](const Value& value) {
    const bool known = std::ranges::find(captured, value) != captured.end();
    if (!value || known || inside.contains(&value.node()) || constants.contains(&value.node())) return;
    captured.push_back(value);
  };
  for (const Node* node : order) {
    if (inside.contains(node)) std::ranges::for_each(node->inputs(), capture);
  }
  std::ranges::for_each(region.results, capture);
  return captured;
}

// while_loop(initial..., captured...): the body applied to the values until the condition fails.
//   shape     those of the initial values
//   gradient  none: an error
//   lowering  stablehlo.while with the values that the program needs
struct WhileLoop final : Op {
  const Region condition, body;
  const std::optional<int64_t> count;  // number of iterations, if known
  WhileLoop(Region condition, Region body, std::optional<int64_t> count)
      : condition(std::move(condition)), body(std::move(body)), count(count) {}

  std::string_view name() const override { return "while_loop"; }
  Types infer(std::span<const Value>) const override {
    Types types;
    for (const Value& argument : body.arguments) types.push_back(argument.type());
    require(condition.results[0].type() == TensorType{DType::kBool, {}}, name(), condition.results,
            "a condition that is a bool scalar");
    require(std::ranges::equal(body.results, types, {}, &Value::type), name(), body.results,
            "results of the body with the types of its arguments", ", with the arguments " + describe(body.arguments));
    return types;
  }
  Values gradient(const Node&, std::span<const Value>) const override {
    throw UsageError({.where = "while_loop",
                      .given = "a gradient through the loop",
                      .expected = "a loop without gradients",
                      .fix = "unroll the loop, or put stop_gradient() around its results"});
  }
  void lower(const Node& node, Lowering& out) const override {
    const int64_t calls_before = out.calls_in_order();
    const std::vector<size_t> live = out.live_results(node);
    std::string regions = out.region(chosen(condition.arguments, live), condition.results);
    regions += ", " + out.region(chosen(body.arguments, live), chosen(body.results, live));
    // Captured values are not operands, because a region sees the values around it.
    out.write_live(node, live, chosen(node.inputs(), live), "stablehlo.while", regions);
    if (out.calls_in_order() > calls_before) out.order_after(node);
  }
};

Values loop(const Values& initial, Region condition, Region body, std::optional<int64_t> count = {}) {
  Values inputs = initial;
  for (const Region* region : {&condition, &body}) {
    const Values captured = captured_by(*region);
    inputs.insert(inputs.end(), captured.begin(), captured.end());
  }
  return make_nodes(std::make_unique<WhileLoop>(std::move(condition), std::move(body), count), std::move(inputs));
}

Value index_of(int64_t value) { return full({DType::kInt32, {}}, static_cast<double>(value)); }

// Zeros for `count` parts side by side.
Value zeros_for(const Value& part, int64_t count) {
  Shape shape = part.shape();
  shape[0] *= count;
  return full({part.dtype(), shape}, 0);
}

// loop_over(); `name` is that of the function for errors.
LoopValues loop_named(std::string_view name, const LoopValues& of_index, const Value& index, int64_t count) {
  require(index.type() == TensorType{DType::kInt32, {}} && is_parameter(index.node()), name, {&index, 1},
          "an index that is an int32 scalar and a parameter");
  const auto& [sums, parts] = of_index;
  Values initial{index_of(0)};
  for (const Value& sum : sums) initial.push_back(full(sum.type(), 0));
  for (const Value& part : parts) {
    require(part.rank() > 0, name, {&part, 1}, "parts with at least one axis");
    initial.push_back(zeros_for(part, count));
  }

  Region test{arguments_like(initial), {}}, step{arguments_like(initial), {}};
  test.results = {compare(Direction::kLess, test.arguments[0], index_of(count))};
  step.arguments[0] = index;
  step.results = {index + index_of(1)};
  const auto before = [&] { return step.arguments[step.results.size()]; };
  for (const Value& sum : sums) step.results.push_back(before() + sum);
  for (const Value& part : parts) {
    const Value first = index * static_cast<double>(part.shape()[0]);
    step.results.push_back(dynamic_update_slice(before(), part, 0, first));
  }
  const Values after = loop(initial, std::move(test), std::move(step), count);
  const auto first_part = after.begin() + 1 + std::ssize(sums);
  return {.sums = {after.begin() + 1, first_part}, .parts = {first_part, after.end()}};
}

}  // namespace

Values while_loop(const Values& initial, const std::function<Value(const Values&)>& condition,
                  const std::function<Values(const Values&)>& body) {
  Region test{arguments_like(initial), {}}, step{arguments_like(initial), {}};
  test.results = {condition(test.arguments)};
  step.results = body(step.arguments);
  return loop(initial, std::move(test), std::move(step));
}

Values loop_sum(const Values& terms, const Value& index, int64_t count) {
  return loop_named("loop_sum", {.sums = terms, .parts = {}}, index, count).sums;
}

LoopValues loop_over(const LoopValues& of_index, const Value& index, int64_t count) {
  return loop_named("loop_over", of_index, index, count);
}

std::optional<CountedLoop> counted_loop(const Op& op) {
  const auto* const loop = dynamic_cast<const WhileLoop*>(&op);
  if (loop == nullptr || !loop->count) return std::nullopt;
  return CountedLoop{loop->body.arguments, loop->body.results, *loop->count};
}

}  // namespace portatune
