// The XLA plugins that Portatune can install, and whether they are installed.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "portatune/runtime/pjrt/plugin/plugin_package.h"

namespace portatune::doctor {

struct PluginState {
  std::filesystem::path folder;  ///< its folder in the user's cache
  bool has_plugin;               ///< whether the plugin is there, and compiles
  bool is_complete;              ///< whether the libraries of its devices are there, too
};
PluginState state_of(const pjrt::PluginPackage& package);

/// Name, platform, version, folder and state of a plugin: a line of `portatune plugin list --json`.
nlohmann::ordered_json facts_of(const pjrt::PluginPackage& package);

}  // namespace portatune::doctor
