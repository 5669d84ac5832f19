// XLA plugins that Portatune can install, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "portatune/pjrt/plugin/plugin_package.h"

namespace portatune::cli {

/// Name, platform, version, folder and state of a plugin: a line of `portatune plugin list --json`.
nlohmann::ordered_json facts_of(const pjrt::PluginPackage& package);

}  // namespace portatune::cli
