#include "portatune/hub/adapters/adapter_names.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "portatune/nn/adapted_layers.h"

namespace portatune::hub {
namespace {

constexpr std::string_view kBaseLayer = ".base_layer", kBias = ".bias";

// Parts of the names of ViT, DeiT and AST, in files and in memory. Of two parts that fit, the first counts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kParts = {
    {{".encoder.layer.", ".layers."},
     {".attention.attention.query", ".attention.q_proj"},
     {".attention.attention.key", ".attention.k_proj"},
     {".attention.attention.value", ".attention.v_proj"},
     {".attention.output.dense", ".attention.o_proj"},
     {".intermediate.dense", ".mlp.fc1"},
     {".output.dense", ".mlp.fc2"}}};

bool is_of_vit(std::string_view name) {
  return name.starts_with("vit.") || name.starts_with("deit.") || name.starts_with("audio_spectrogram_transformer.");
}

void replace_part(std::string& name, std::string_view part, std::string_view other) {
  const size_t at = name.find(part);
  if (at != std::string::npos) name.replace(at, part.size(), other);
}

}  // namespace

std::string module_in_transformers(std::string module) {
  if (!is_of_vit(module)) return module;
  for (const auto& [in_file, in_memory] : kParts) replace_part(module, in_file, in_memory);
  return module;
}

std::string name_in_adapter(const std::string& parameter, std::span<const std::string> parameters) {
  const std::string name = kAdapterPrefix + module_in_transformers(parameter);
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
  if (!is_of_vit(parameter)) return parameter;
  for (const auto& [in_file, in_memory] : kParts) replace_part(parameter, in_memory, in_file);
  return parameter;
}

}  // namespace portatune::hub
