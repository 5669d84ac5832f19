// Installation of an XLA plugin and its dependencies for pjrt::find_plugin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "portatune/machine/install/package_index.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"
#include "portatune/runtime/pjrt/plugin/plugin_package.h"

namespace portatune {

struct InstallOptions {
  std::string index = kPyPi;
  /// Called before the download.
  std::function<void(size_t wheels, int64_t bytes)> begin = [](size_t, int64_t) {};
  /// Called often during the download of a wheel, first with 0 bytes.
  std::function<void(const pjrt::Pin& wheel, int64_t bytes, int64_t all)> fetched = [](const auto&, int64_t, int64_t) {
  };
  /// Called when all wheels are present.
  std::function<void()> unpack = [] {};
};

/// Installs the plugin in pjrt::folder_of(package), completely or not at all. Verifies the hash of each wheel before
/// use. Keeps completely downloaded wheels until the plugin is installed, for the next attempt. Loads the plugin before
/// it is installed.
/// returns   version of the plugin
/// errors    DataError for a wheel with another hash or without an expected file; DeviceError if the machine is
///           unsupported, if another process installs, or if the plugin cannot be loaded or has an unsupported version;
///           IoError; errors of url_of(); Stopped
pjrt::PluginVersion install_plugin(const pjrt::PluginPackage& package, const InstallOptions& options);

}  // namespace portatune
