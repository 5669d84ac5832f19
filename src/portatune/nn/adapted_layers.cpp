#include "portatune/nn/adapted_layers.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace portatune::nn {
namespace {

template <class Number>
Number of_module(const std::map<std::string, Number>& pattern, std::string_view path, Number other) {
  const auto found = std::ranges::find_if(pattern, [&](const auto& entry) { return is_named(path, entry.first); });
  return found == pattern.end() ? other : found->second;
}

bool is_target(const Lora& lora, std::string_view path) {
  return std::ranges::any_of(lora.target_modules,
                             [&](const std::string& name) { return name == kAllLinear || is_named(path, name); });
}

bool is_trained_bias(const Lora& lora, std::string_view parameter) {
  constexpr std::string_view kBias = "bias";
  if (lora.bias == LoraBias::kNone || !(parameter == kBias || is_named(parameter, kBias))) return false;
  if (lora.bias == LoraBias::kAll) return true;
  return is_target(lora, parameter.substr(0, parameter.rfind('.')));
}

}  // namespace

bool is_named(std::string_view path, std::string_view name) {
  if (!path.ends_with(name)) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '.';
}

std::optional<AdaptedLayer> adapted_layer(const Lora& lora, std::string_view path) {
  if (!is_target(lora, path) || is_saved(lora, std::string(path) + ".weight")) return std::nullopt;
  const int64_t rank = of_module(lora.rank_pattern, path, lora.rank);
  const double alpha = of_module(lora.alpha_pattern, path, lora.alpha);
  const auto divisor = static_cast<double>(rank);
  return AdaptedLayer{rank, alpha / (lora.use_rslora ? std::sqrt(divisor) : divisor)};
}

std::string_view layer_of_adapter(std::string_view parameter) {
  if (parameter.ends_with(".weight")) parameter.remove_suffix(std::string_view(".weight").size());
  for (const std::string_view name : {kLoraA, kLoraB, kMagnitude}) {
    if (is_named(parameter, name)) return parameter.substr(0, parameter.size() - name.size() - 1);
  }
  return {};
}

bool is_saved(const Lora& lora, std::string_view parameter) {
  for (size_t end = parameter.find('.'); end != std::string_view::npos; end = parameter.find('.', end + 1)) {
    const std::string_view module = parameter.substr(0, end);
    if (std::ranges::any_of(lora.modules_to_save, [&](const std::string& name) { return module.ends_with(name); })) {
      return true;
    }
  }
  return false;
}

bool is_trained(const Lora& lora, std::string_view parameter) {
  return !layer_of_adapter(parameter).empty() || is_trained_bias(lora, parameter) || is_saved(lora, parameter);
}

}  // namespace portatune::nn
