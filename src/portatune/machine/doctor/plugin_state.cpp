#include "portatune/machine/doctor/plugin_state.h"

#include <nlohmann/json.hpp>

namespace portatune::doctor {

PluginState state_of(const pjrt::PluginPackage& package) {
  const std::filesystem::path folder = folder_of(package);
  std::error_code none;
  return {.folder = folder,
          .has_plugin = std::filesystem::is_regular_file(folder / package.file, none),
          .is_complete = is_complete(package, folder)};
}

nlohmann::ordered_json facts_of(const pjrt::PluginPackage& package) {
  const pjrt::Pin& wheel = package.parts.front().wheel;
  const PluginState state = state_of(package);
  return {{"name", package.name},           {"platform", package.platform}, {"package", wheel.package},
          {"version", wheel.version},       {"needs", package.needs},       {"folder", state.folder.string()},
          {"installed", state.is_complete}, {"compiles", state.has_plugin}};
}

}  // namespace portatune::doctor
