// The XLA plugins that Portatune is tested with, and their folders.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "portatune/runtime/pjrt/plugin/pins.h"

namespace portatune::pjrt {

/// The part of a wheel that is unpacked: all files below `from`, into `to` in the plugin's folder.
struct WheelPart {
  Pin wheel;
  std::string from, to;  ///< "" or with a slash at the end
  std::string proof;     ///< a file in the plugin's folder whose presence proves that this part is there
};

struct PluginPackage {
  std::string name;      ///< name for `portatune plugin install`: "cuda13"
  std::string platform;  ///< platform for find_plugin: "cuda"
  std::string file;      ///< path of the plugin in its folder
  std::string needs;     ///< requirements of the machine, in words
  std::vector<WheelPart> parts;
  bool is_for_x86_64_alone = false;

  /// The name of the plugin's folder, from package and version of the first wheel: "jax_cuda13_pjrt-0.12.0.1". The
  /// folder has the layout of a Python environment, in which the libraries find each other.
  std::string folder_name() const;
};

/// All packages. find_plugin prefers the first of several packages for one platform.
std::span<const PluginPackage> plugin_packages();

/// The package with this name.
/// errors  UsageError for an unknown name
const PluginPackage& plugin_package(const std::string& name);

/// The folder into which it is unpacked, in $XDG_CACHE_HOME/portatune/deps or ~/.cache/portatune/deps.
/// errors  UsageError if neither XDG_CACHE_HOME nor HOME is set
std::filesystem::path folder_of(const PluginPackage& package);

/// True if all parts are in the folder.
bool is_complete(const PluginPackage& package, const std::filesystem::path& folder);

}  // namespace portatune::pjrt
