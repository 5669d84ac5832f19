#include "portatune/hub/adapter_names.h"

#include <algorithm>
#include <string_view>

#include "portatune/nn/adapted_layers.h"

namespace portatune::hub {
namespace {

constexpr std::string_view kBaseLayer = ".base_layer", kBias = ".bias";

}  // namespace

std::string name_in_adapter(const std::string& parameter, std::span<const std::string> parameters) {
  const std::string name = kAdapterPrefix + parameter;
  if (!parameter.ends_with(kBias)) return name;
  const std::string layer = parameter.substr(0, parameter.size() - kBias.size());
  const bool has_adapter =
      std::ranges::find(parameters, layer + "." + std::string(nn::kLoraA) + ".weight") != parameters.end();
  return has_adapter ? std::string(name).insert(name.size() - kBias.size(), kBaseLayer) : name;
}

std::string parameter_in_adapter(const std::string& name) {
  std::string parameter = name.substr(std::string_view(kAdapterPrefix).size());
  const std::string end = std::string(kBaseLayer) + std::string(kBias);
  if (parameter.ends_with(end)) parameter.erase(parameter.size() - end.size(), kBaseLayer.size());
  return parameter;
}

}  // namespace portatune::hub
