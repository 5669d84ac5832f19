// Fetches an XLA plugin and what it needs, and puts it where pjrt::find_plugin looks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "portatune/install/package_index.h"
#include "portatune/pjrt/plugin.h"
#include "portatune/pjrt/plugin_package.h"

namespace portatune {

struct InstallOptions {
  std::string index = kPyPi;
  /// Called before the first byte is fetched.
  std::function<void(size_t wheels, int64_t bytes)> begin = [](size_t, int64_t) {};
  /// Called often while a wheel is fetched, at first with no bytes.
  std::function<void(const pjrt::Pin& wheel, int64_t bytes, int64_t all)> fetched = [](const auto&, int64_t, int64_t) {
  };
  /// Called when all wheels are there.
  std::function<void()> unpack = [] {};
};

/// Puts the plugin into pjrt::folder_of(package), as a whole or not at all. Each wheel is checked by its hash before
/// anything is made of it; those that are fetched whole are kept until the plugin is in place, for the next attempt.
/// The plugin is loaded before it is put there.
/// returns   its version
/// errors    DataError for a wheel of another hash, or one that does not hold what it should; DeviceError if this is
///           no machine for it, if another process installs, or if the plugin cannot be loaded or is of a version that
///           is not supported; IoError; as url_of(); Stopped
pjrt::PluginVersion install_plugin(const pjrt::PluginPackage& package, const InstallOptions& options);

}  // namespace portatune
