// The XLA plugins that Portatune is tried with, and where each is kept.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "portatune/pjrt/pins.h"

namespace portatune::pjrt {

/// What is taken of a wheel: all files below `from`, which come to stand below `to` in the plugin's folder.
struct WheelPart {
  Pin wheel;
  std::string from, to;  ///< "" or with a slash at the end
  std::string proof;     ///< a file in the plugin's folder that is there when this part is
};

struct PluginPackage {
  std::string name;      ///< "cuda13", as `portatune plugin install` has it
  std::string platform;  ///< "cuda", as find_plugin has it
  std::string file;      ///< the plugin itself, in its folder
  std::string needs;     ///< what the machine must have, for people
  std::vector<WheelPart> parts;
  bool is_for_x86_64_alone = false;

  /// "jax_cuda13_pjrt-0.12.0.1": package and version of the first wheel. In it wheels stand side by side as in a Python
  /// environment, where libraries find one another.
  std::string folder_name() const;
};

/// Of several for one platform, find_plugin prefers the first.
std::span<const PluginPackage> plugin_packages();

/// errors  UsageError for a name that none has
const PluginPackage& plugin_package(const std::string& name);

/// Where it is unpacked: a folder in $XDG_CACHE_HOME/portatune/deps or ~/.cache/portatune/deps.
/// errors  UsageError if neither of the two variables is set
std::filesystem::path folder_of(const PluginPackage& package);

/// Whether all parts are in its folder.
bool is_complete(const PluginPackage& package, const std::filesystem::path& folder);

}  // namespace portatune::pjrt
