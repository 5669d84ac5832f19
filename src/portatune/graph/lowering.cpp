#include "portatune/graph/lowering.h"

#include <algorithm>
#include <set>

#include "portatune/error.h"
#include "portatune/graph/traversal.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

Types types_of(std::span<const Value> values) {
  Types types;
  for (const Value& value : values) types.push_back(value.type());
  return types;
}

// True for types that handlers support. The decomposition computes others, such as float64 and empty arrays.
bool kernels_take(const TensorType& type) {
  const bool known = type.dtype == DType::kFloat32 || type.dtype == DType::kBFloat16 || type.dtype == DType::kInt32 ||
                     type.dtype == DType::kUInt32;
  return known && type.shape.elements() > 0;
}

std::string backend_config(const Attributes& attributes) {
  std::string text = "{";
  for (const auto& [name, value] : attributes) text += (text.size() > 1 ? ", " : "") + name + " = " + value;
  return text + "}";
}

std::string in_place_text(const std::vector<std::pair<size_t, size_t>>& pairs, size_t results) {
  std::string text = "[";
  for (const auto& [result, operand] : pairs) {
    if (text.size() > 1) text += ", ";
    // A single result is not in a tuple.
    const std::string index = results > 1 ? std::to_string(result) : "";
    text += "#stablehlo.output_operand_alias<output_tuple_indices = [" + index +
            "], operand_index = " + std::to_string(operand) + ", operand_tuple_indices = []>";
  }
  return text + "]";
}

// Checks the aliases here, because the error of a plugin would refer to text that the caller has not written.
void check_aliases(const Function& function) {
  std::set<size_t> parameters, results;
  for (const auto& [parameter, result] : function.aliases) {
    const std::string alias = "parameter " + std::to_string(parameter) + " and result " + std::to_string(result);
    if (parameter >= function.parameters.size() || result >= function.results.size()) {
      throw UsageError({.where = "alias of " + alias,
                        .given = std::to_string(function.parameters.size()) + " parameters and " +
                                 std::to_string(function.results.size()) + " results",
                        .expected = "a parameter and a result of the function, counted from 0"});
    }
    if (!parameters.insert(parameter).second || !results.insert(result).second) {
      throw UsageError({.where = "alias of " + alias,
                        .given = "one of them also in another alias",
                        .expected = "every parameter and every result in one alias at most"});
    }
    if (function.parameters[parameter].type() != function.results[result].type()) {
      throw ShapeError({.where = "alias of parameter " + std::to_string(parameter),
                        .given = to_string(function.results[result].type()) + " as result " + std::to_string(result),
                        .expected = to_string(function.parameters[parameter].type()) + ", the type of the parameter"});
    }
  }
}

}  // namespace

void Lowering::bind(const Value& value, std::string name) {
  if (!names_.try_emplace(&value.node(), std::vector<std::string>{std::move(name)}).second) {
    throw UsageError({.where = "to_stablehlo",
                      .given = "the parameter \"" + std::string(value.node().op().name()) + "\" twice",
                      .expected = "every parameter of the function once"});
  }
}

void Lowering::require(std::span<const Value> values) {
  const auto known = [&](const Value& value) {
    return names_.contains(&value.node()) || !live_.contains(value.node());
  };
  for (const Node* node : topological_order(values, known)) {
    if (!names_.contains(node)) node->op().lower(*node, *this);
  }
}

const std::string& Lowering::name_of(const Value& value) const { return names_.at(&value.node()).at(value.result()); }

std::vector<std::string> Lowering::operand_names(std::span<const Value> operands) const {
  std::vector<std::string> names;
  for (const Value& operand : operands) names.push_back(name_of(operand));
  return names;
}

void Lowering::write(const Node& node, std::string_view name, Attributes attributes, std::string region) {
  write(node, node.inputs(), name, std::move(attributes), std::move(region));
}

void Lowering::write(const Node& node, std::span<const Value> operands, std::string_view name, Attributes attributes,
                     std::string region) {
  names_[&node] = writer_.write({.name = name,
                                 .operands = operand_names(operands),
                                 .operand_types = types_of(operands),
                                 .result_types = node.types(),
                                 .attributes = std::move(attributes),
                                 .region = std::move(region)});
}

void Lowering::write_live(const Node& node, const std::vector<size_t>& live, std::span<const Value> operands,
                          std::string_view name, std::string region) {
  Types types;
  for (const size_t result : live) types.push_back(node.types()[result]);
  const std::vector<std::string> written = writer_.write({.name = name,
                                                          .operands = operand_names(operands),
                                                          .operand_types = types_of(operands),
                                                          .result_types = types,
                                                          .attributes = {},
                                                          .region = std::move(region)});
  std::vector<std::string>& names = names_[&node];
  names.resize(node.types().size());
  for (size_t i = 0; i < live.size(); ++i) names[live[i]] = written[i];
}

bool Lowering::call_kernel(const Node& node, const KernelCall& call) {
  if (!offers(call.target)) return false;
  const Values& operands = call.operands.empty() ? node.inputs() : call.operands;
  if (!std::ranges::all_of(types_of(operands), kernels_take) || !std::ranges::all_of(node.types(), kernels_take)) {
    return false;
  }
  require(operands);
  if (!call.operands.empty()) substituted_.push_back(operands);
  names_[&node] = write_call(call, operand_names(operands), types_of(operands), node.types());
  return true;
}

std::vector<std::string> Lowering::write_call(const KernelCall& call, std::vector<std::string> operands,
                                              Types operand_types, const Types& result_types) {
  Attributes attributes{{"call_target_name", "\"" + std::string(call.target) + "\""},
                        {"api_version", "4 : i32"},
                        {"has_side_effect", "false"},
                        {"backend_config", backend_config(call.attributes)}};
  if (!call.in_place.empty()) {
    attributes.emplace_back("output_operand_aliases", in_place_text(call.in_place, result_types.size()));
  }
  return writer_.write({.name = "stablehlo.custom_call",
                        .operands = std::move(operands),
                        .operand_types = std::move(operand_types),
                        .result_types = result_types,
                        .attributes = std::move(attributes)});
}

bool Lowering::call_in_order(const Node& node, const KernelCall& call) {
  if (!offers(call.target)) return false;
  Types operand_types = types_of(node.inputs()), result_types = node.types();
  if (!call.moves_bytes && !std::ranges::all_of(operand_types, kernels_take)) {
    throw UsageError({.where = std::string(call.target) + " between processes",
                      .given = to_string(operand_types[0]),
                      .expected = "float32, bfloat16, int32 or uint32"});
  }
  const TensorType order{DType::kInt32, {}};
  std::vector<std::string> operands = operand_names(node.inputs());
  if (last_in_order_.empty()) {
    substituted_.push_back({full(order, 0)});
    require(substituted_.back());
    last_in_order_ = name_of(substituted_.back()[0]);
  }
  operands.push_back(last_in_order_);
  operand_types.push_back(order);
  result_types.push_back(order);
  std::vector<std::string> results = write_call(call, std::move(operands), std::move(operand_types), result_types);
  last_in_order_ = results.back();
  results.pop_back();
  names_[&node] = std::move(results);
  ++calls_in_order_;
  return true;
}

void Lowering::order_after(const Node& loop) {
  if (loop.types()[0] != TensorType{DType::kInt32, {}}) {
    throw UsageError(
        {.where = std::string(loop.op().name()),
         .given = "collectives between processes in a loop whose first value is " + to_string(loop.types()[0]),
         .expected = "an int32 scalar, for which later collectives can wait"});
  }
  last_in_order_ = name_of(loop.result(0));
}

std::string Lowering::region(std::span<const Value> arguments, std::span<const Value> results) {
  const auto outside = names_;
  const std::string order_outside = last_in_order_;
  const std::vector<std::string> names = writer_.begin_region(types_of(arguments));
  for (size_t i = 0; i < arguments.size(); ++i) bind(arguments[i], names[i]);
  require(results);
  std::string text = writer_.end_region(operand_names(results), types_of(results));
  names_ = outside;
  last_in_order_ = order_outside;
  return text;
}

void Lowering::substitute(const Node& node, Values values) {
  require(values);
  names_[&node] = operand_names(values);
  substituted_.push_back(std::move(values));
}

std::string f32_attribute(double value) { return stablehlo::scalar_text(DType::kFloat32, value) + " : f32"; }
std::string i64_attribute(int64_t value) { return std::to_string(value) + " : i64"; }

std::string to_stablehlo(const Function& function, const Target& target) {
  check_aliases(function);
  stablehlo::Writer writer;
  Lowering lowering(target, function, writer);
  std::vector<stablehlo::Writer::Argument> arguments;
  for (const Value& parameter : function.parameters) {
    arguments.push_back({"%arg" + std::to_string(arguments.size()), parameter.type()});
    lowering.bind(parameter, arguments.back().name);
  }
  for (const auto& [parameter, result] : function.aliases) {
    arguments[parameter].aliased_result = static_cast<int64_t>(result);
  }
  lowering.require(function.results);
  std::vector<std::string> results;
  for (const Value& result : function.results) results.push_back(lowering.name_of(result));
  const int64_t replicas = target.across_processes ? 1 : function.mesh.devices();
  return writer.module(arguments, results, types_of(function.results), replicas);
}

}  // namespace portatune
