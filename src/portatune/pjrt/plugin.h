// XLA plugins: the shared libraries that compile and run StableHLO on one kind of device.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

struct PJRT_Api;

namespace portatune::pjrt {

/// Versions that a plugin reports.
struct PluginVersion {
  int pjrt_major, pjrt_minor;
  std::array<int64_t, 3> stablehlo;          ///< the newest that it reads
  std::array<int64_t, 3> stablehlo_minimum;  ///< the oldest
  int64_t cuda;                              ///< 13000 is CUDA 13.0; 0 of a plugin for other devices
};
/// "PJRT 0.81, StableHLO 1.13.3".
std::string to_string(const PluginVersion& version);

/// A loaded plugin. It is loaded once and lives as long as the process: plugins crash when they are unloaded.
class Plugin {
 public:
  /// Loads and initialises the plugin, or gives the one that has been loaded from this file before. Before the first
  /// time, sets the environment variables that keep plugins from writing to the terminal and from looking for a cloud's
  /// metadata server where there is no TPU, each unless the user has set it.
  /// errors    DeviceError if the file is missing, is no plugin, or is of a version outside the supported window
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

/// Where the plugin for a platform is: the file that the user names, else that of the environment variable
/// PORTATUNE_CPU_PLUGIN, PORTATUNE_TPU_PLUGIN or PORTATUNE_CUDA_PLUGIN, else the first that exists of: beside the program,
/// in ../lib/portatune from there, in $XDG_CACHE_HOME/portatune/deps, where `portatune plugin install` puts it.
/// platform  "cpu", "tpu" or "cuda"
/// errors    DeviceError with the places that were looked at, or for one in the cache folder that is not trusted
///           (why_untrusted); UsageError for another platform
std::filesystem::path find_plugin(std::string_view platform, const std::optional<std::filesystem::path>& named = {});

/// The user's cache folder for Portatune: $XDG_CACHE_HOME/portatune or ~/.cache/portatune; nothing if neither is set.
std::optional<std::filesystem::path> cache_folder();

}  // namespace portatune::pjrt
