#include "portatune/train/program/parameter_groups.h"

#include <algorithm>
#include <cmath>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/error.h"
#include "portatune/nn/name_pattern.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// Reads "lr=0.001" into the group. Returns whether the text is a value that the group does not have yet.
bool read_value(std::string_view text, ParameterGroup& group) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = trimmed(text.substr(0, equals));
  const auto number = number_in<double>(trimmed(text.substr(equals + 1)));
  if (!number || !(*number >= 0) || !std::isfinite(static_cast<float>(*number))) return false;
  const bool is_rate = name == "lr" || name == "learning_rate";
  std::optional<double>& value = is_rate ? group.learning_rate : group.weight_decay;
  if ((!is_rate && name != "weight_decay") || value) return false;
  value = number;
  return true;
}

}  // namespace

std::string OptionType<ParameterGroup>::expected() {
  return "PATTERN: lr=N, weight_decay=N, with one of the two numbers or both, none below 0";
}

std::optional<ParameterGroup> OptionType<ParameterGroup>::read(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  ParameterGroup group{.pattern = std::string(trimmed(std::string_view(text).substr(0, colon)))};
  if (group.pattern.empty()) return std::nullopt;
  for (const std::string& value : split(std::string_view(text).substr(colon + 1), ',')) {
    if (!read_value(value, group)) return std::nullopt;
  }
  return group;
}

std::string OptionType<ParameterGroup>::text(const ParameterGroup& group) {
  std::string values;
  if (group.learning_rate) values += " lr=" + to_text(*group.learning_rate);
  if (group.weight_decay) values += (values.empty() ? " " : ", ") + ("weight_decay=" + to_text(*group.weight_decay));
  return group.pattern + ":" + values;
}

}  // namespace portatune

namespace portatune::train {
namespace {

bool has(const StepGroup& group, const nn::Parameter& parameter) {
  return nn::matches(parameter, group.parameters.pattern);
}

// A stack of layers: the encoder or the decoder.
struct LayerStack {
  std::string module;  // the module of its layers with a dot, such as "model.encoder."; empty: the model
  int64_t layers = 0;
  size_t end = 0;  // index of the first parameter after its layers

  void add_layer(int64_t layer, size_t parameter) {
    layers = std::max(layers, layer + 1);
    end = parameter + 1;
  }
};

// "model.encoder." for a parameter of the layer "model.encoder.layers.3".
std::string module_of_layers(const nn::Parameter& parameter) {
  const size_t number = parameter.name.find("." + std::to_string(*parameter.layer) + ".");
  const size_t dot = number == std::string::npos ? number : parameter.name.substr(0, number).rfind('.');
  return dot == std::string::npos ? "" : parameter.name.substr(0, dot + 1);
}

// The stacks of layers, and before them one for the model as a whole.
std::vector<LayerStack> layer_stacks(std::span<const nn::Parameter> parameters) {
  std::vector<LayerStack> stacks(1);
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].layer) continue;
    stacks[0].add_layer(*parameters[i].layer, i);
    const std::string module = module_of_layers(parameters[i]);
    auto stack = std::ranges::find(stacks, module, &LayerStack::module);
    if (stack == stacks.end()) stack = stacks.insert(stack, {.module = module});
    if (stack != stacks.begin()) stack->add_layer(*parameters[i].layer, i);
  }
  return stacks;
}

// The exponents of the layer-wise decay: layer i of n has n - i, what comes before the layers n + 1, and what comes
// after them 0. The encoder and the decoder each have a number of layers of their own.
std::vector<int64_t> layers_above(std::span<const nn::Parameter> parameters) {
  const std::vector<LayerStack> stacks = layer_stacks(parameters);
  std::vector<int64_t> exponents;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto has_parameter = [&](const LayerStack& stack) { return parameters[i].name.starts_with(stack.module); };
    const LayerStack& stack = *std::ranges::find_if(stacks.rbegin(), stacks.rend(), has_parameter);
    const int64_t outside = i < stack.end ? stack.layers + 1 : 0;
    exponents.push_back(parameters[i].layer ? stack.layers - *parameters[i].layer : outside);
  }
  return exponents;
}

// The index of the last group that has the parameter and a learning rate.
std::optional<size_t> group_with_rate(const nn::Parameter& parameter, const std::vector<StepGroup>& groups) {
  for (size_t i = groups.size(); i > 0; --i) {
    if (groups[i - 1].parameters.learning_rate && has(groups[i - 1], parameter)) return i - 1;
  }
  return std::nullopt;
}

// The index of the last group that has the parameter and a weight decay.
std::optional<size_t> group_with_decay(const nn::Parameter& parameter, const std::vector<StepGroup>& groups) {
  for (size_t i = groups.size(); i > 0; --i) {
    if (groups[i - 1].optimizer && has(groups[i - 1], parameter)) return i - 1;
  }
  return std::nullopt;
}

}  // namespace

void require_group_members(std::span<const nn::Parameter> trainable, const std::vector<StepGroup>& groups) {
  for (const StepGroup& group : groups) {
    if (std::ranges::any_of(trainable, [&](const nn::Parameter& p) { return has(group, p); })) continue;
    throw UsageError({.where = "param_group",
                      .given = in_quotes(group.parameters.pattern) + ", which no trained parameter has in its name",
                      .expected = "consecutive modules of names such as " + trainable.back().name,
                      .fix = "give whole modules: classifier, encoder.layer.0-5 for six layers, or bias"});
  }
}

const optim::Optimizer& optimizer_for(const nn::Parameter& parameter, const std::vector<StepGroup>& groups,
                                      const optim::Optimizer& by_default) {
  const std::optional<size_t> group = group_with_decay(parameter, groups);
  return group ? *groups[*group].optimizer : by_default;
}

StepRates::StepRates(std::span<const nn::Parameter> parameters, const std::vector<StepGroup>& groups,
                     double layer_decay, bool decays)
    : decay_index_(parameters.size()) {
  const std::vector<int64_t> exponents =
      layer_decay == 1 ? std::vector<int64_t>(parameters.size()) : layers_above(parameters);
  index_.resize(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].trainable) continue;
    const std::optional<size_t> group = group_with_rate(parameters[i], groups);
    const auto is_same = [&](const Rate& rate) { return rate.group == group && rate.layers_above == exponents[i]; };
    const auto known = std::ranges::find_if(rates_, is_same);
    index_[i] = static_cast<size_t>(known - rates_.begin());
    if (known != rates_.end()) continue;
    rates_.push_back({.group = group,
                      .layers_above = exponents[i],
                      .learning_rate = group ? groups[*group].parameters.learning_rate : std::nullopt,
                      .factor = std::pow(layer_decay, static_cast<double>(exponents[i]))});
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].trainable) continue;
    const std::optional<size_t> group = group_with_decay(parameters[i], groups);
    if (group ? groups[*group].parameters.weight_decay == 0 : !decays) continue;
    const auto known = std::ranges::find(decays_, group);
    decay_index_[i] = static_cast<size_t>(known - decays_.begin());
    if (known == decays_.end()) decays_.push_back(group);
  }
}

TensorType StepRates::type() const {
  const auto count = static_cast<int64_t>(rates_.size() + decays_.size());
  return {DType::kFloat32, count == 1 ? Shape{} : Shape{count}};
}

std::vector<double> StepRates::peaks(double learning_rate) const {
  std::vector<double> peaks;
  for (const Rate& rate : rates_) peaks.push_back(rate.peak(learning_rate));
  return peaks;
}

std::vector<double> StepRates::decays(const TrainingOptions& options) const {
  std::vector<double> decays;
  for (const std::optional<size_t>& group : decays_) {
    decays.push_back(group ? options.param_groups[*group].weight_decay.value() : options.weight_decay);
  }
  return decays;
}

Value StepRates::element(size_t index, const Value& input) const {
  if (input.rank() == 0) return input;
  const auto begin = static_cast<int64_t>(index);
  return reshape(slice(input, 0, {begin, begin + 1}), {});
}

Value StepRates::learning_rate(size_t parameter, const Value& input) const { return element(index_[parameter], input); }

Value StepRates::weight_decay(size_t parameter, const Value& input) const {
  const std::optional<size_t>& index = decay_index_[parameter];
  return index ? element(rates_.size() + *index, input) : Value();
}

}  // namespace portatune::train
