// XLA plugins: the shared libraries that compile and run StableHLO on one kind of device.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct PJRT_Api;

namespace portatune::pjrt {

/// Sets the variables for Portatune, except those that are already set. Call it before loading a plugin, which reads
/// them then.
void prepare_environment();

/// Versions that a plugin reports.
struct PluginVersion {
  int pjrt_major, pjrt_minor;
  std::array<int64_t, 3> stablehlo;          ///< newest version that it reads
  std::array<int64_t, 3> stablehlo_minimum;  ///< oldest version that it reads
  int64_t cuda;                              ///< 13000 is CUDA 13.0; 0 for plugins of other devices
};
/// The versions as text: "PJRT 0.81, StableHLO 1.13.3".
std::string to_string(const PluginVersion& version);

/// A loaded plugin. It is loaded once and lives as long as the process, because plugins crash on unloading.
class Plugin {
 public:
  /// Loads and initialises the plugin, or returns the one that has been loaded from this file before. The first call
  /// runs prepare_environment().
  /// errors    DeviceError if the file is missing, is not a plugin, or has an unsupported version
  static const Plugin& load(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return file_; }
  const PluginVersion& version() const { return version_; }
  const PJRT_Api& api() const { return *api_; }

 private:
  explicit Plugin(std::filesystem::path file);

  std::filesystem::path file_;
  const PJRT_Api* api_;
  PluginVersion version_;
};

/// Finds the plugin for a platform: the file that the user names, else the file in the environment variable
/// PORTATUNE_CPU_PLUGIN, PORTATUNE_TPU_PLUGIN or PORTATUNE_CUDA_PLUGIN, else the first existing file beside the
/// program, in ../lib/portatune from there, or in $XDG_CACHE_HOME/portatune/deps, where `portatune plugin install` puts
/// it.
/// platform  "cpu", "tpu" or "cuda"
/// errors    DeviceError, which lists the paths, if there is none, or if a file in the cache folder is not trusted
///           (why_untrusted); UsageError for another platform
std::filesystem::path find_plugin(std::string_view platform, const std::optional<std::filesystem::path>& named = {});

/// The user's cache folder for Portatune: $XDG_CACHE_HOME/portatune or ~/.cache/portatune; nothing if neither is set.
std::optional<std::filesystem::path> cache_folder();

}  // namespace portatune::pjrt
