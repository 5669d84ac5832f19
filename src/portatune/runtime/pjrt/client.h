// The devices that a plugin drives in this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "portatune/process_group.h"
#include "portatune/runtime/pjrt/compile_options.h"
#include "portatune/tensor.h"

namespace portatune::pjrt {

/// Properties of a device.
struct Device {
  int id;
  std::string kind;         ///< "cpu", "TPU v5 lite", "NVIDIA H100 80GB HBM3", ...
  std::string description;  ///< description for users
  int process = 0;          ///< number of the process that owns it, as the plugin counts processes
};

/// Use of a device's memory, in bytes.
struct MemoryUse {
  int64_t in_use;
  std::optional<int64_t> limit;  ///< maximum that the plugin will allocate
};

using OptionValue = std::variant<bool, int64_t, float, std::string, std::vector<int64_t>>;
/// Options by name. Plugins refuse unknown names and values of another type.
using Options = std::map<std::string, OptionValue>;

class Buffer;
class LoadedExecutable;
class Plugin;
struct ClientState;

struct ClientOptions {
  /// File of the plugin; nothing: the file that find_plugin finds.
  std::optional<std::filesystem::path> plugin_file = {};
  /// Number of virtual devices of the CPU, all on the same cores; for programs of several devices.
  int cpu_devices = 1;
  /// Threads of the CPU plugin for computing and compiling; 0: usable_cores(), or the number in PJRT_NPROC if the user
  /// has set this variable.
  int cpu_threads = 0;
  /// Other options of the plugin, such as CUDA's {"memory_fraction", 0.9f}.
  Options plugin_options = {};
  /// A store shared by several processes, with which the plugin connects their clients; the client keeps it.
  std::shared_ptr<KeyValueStore> store = {};
};

/// Devices that work together. Copies share one client; buffers and executables keep it alive. After its construction,
/// the process must not fork: work in the child would hang.
class Client {
 public:
  /// Finds and loads the plugin for "cpu", "tpu" or "cuda" and opens its devices.
  /// errors    those of find_plugin and Plugin::load; CallError if the plugin finds no usable device
  static Client open(std::string_view platform, const ClientOptions& options = {});
  /// Opens the devices of a plugin with the plugin's defaults.
  explicit Client(const Plugin& plugin, const Options& options = {}, std::shared_ptr<KeyValueStore> store = {});

  const Plugin& plugin() const;
  /// "cpu", "tpu" or "cuda".
  const std::string& platform_name() const;
  const std::string& platform_version() const;
  /// Devices of this process.
  std::span<const Device> devices() const;
  /// Devices of all processes whose clients work together.
  std::span<const Device> all_devices() const;

  /// Memory of a device; nothing if the plugin does not report it, as on CPUs.
  std::optional<MemoryUse> memory_use(size_t device = 0) const;

  /// Copies an array to a device; `values` may be freed after the return.
  Buffer copy_to_device(const TensorView& values, size_t device = 0) const;
  /// Moves an array to a device and returns at once. On CPUs the array itself becomes the buffer, without a copy.
  Buffer move_to_device(Tensor values, size_t device = 0) const;
  /// Shares an array with a device and returns at once; `owner` keeps the array alive and unchanged as long as the
  /// device needs it. On CPUs there is no copy if `values` is aligned to 64 bytes. Donating the buffer does not change
  /// the array.
  Buffer share_with_device(const TensorView& values, std::shared_ptr<const void> owner, size_t device = 0) const;

  /// Compiles a StableHLO module for the first replicas x partitions devices.
  /// errors    CallError; its message names a file with the module
  LoadedExecutable compile(std::string_view module_text, const CompileOptions& options = {}) const;
  /// Loads the result of Executable::serialize for `module_text`, in any process with the same plugin and the same kind
  /// of device. Its custom calls must be registered. The bytes must come from a trusted source.
  /// errors    CallError if the plugin refuses it
  LoadedExecutable load(std::string_view serialized, std::string_view module_text,
                        const CompileOptions& options = {}) const;

 private:
  std::shared_ptr<const ClientState> state_;
};

}  // namespace portatune::pjrt
