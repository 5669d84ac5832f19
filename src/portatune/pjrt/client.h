// The devices that a plugin drives in this process.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "portatune/pjrt/compile_options.h"
#include "portatune/pjrt/device.h"
#include "portatune/pjrt/options.h"
#include "portatune/process_group.h"
#include "portatune/tensor.h"

namespace portatune::pjrt {

class Buffer;
class LoadedExecutable;
class Plugin;
struct ClientState;

struct ClientOptions {
  /// Nothing: where find_plugin finds it.
  std::optional<std::filesystem::path> plugin_file = {};
  /// Devices that the CPU is divided into, all on the same cores: for programs of several devices.
  int cpu_devices = 1;
  /// Threads of the CPU plugin for computing and compiling; 0 is one for each core that the process may use,
  /// or what the process has set before.
  int cpu_threads = 0;
  /// What else the plugin takes, such as CUDA's {"memory_fraction", 0.9f}.
  Options plugin_options = {};
  /// Of several processes, for a plugin whose clients find each other by it; the client keeps it.
  std::shared_ptr<KeyValueStore> store = {};
};

/// Devices that work together. Copies are the same client; buffers and executables keep it alive. After it is made, the
/// process must not fork: work in the child would hang.
class Client {
 public:
  /// Finds and loads the plugin for "cpu", "tpu" or "cuda" and opens its devices.
  /// errors    as find_plugin and Plugin::load; CallError if the plugin finds no device that it can use
  static Client open(std::string_view platform, const ClientOptions& options = {});
  /// Opens the devices of a plugin as it does by itself.
  explicit Client(const Plugin& plugin, const Options& options = {}, std::shared_ptr<KeyValueStore> store = {});

  const Plugin& plugin() const;
  /// "cpu", "tpu" or "cuda".
  const std::string& platform_name() const;
  const std::string& platform_version() const;
  /// Those of this process.
  std::span<const Device> devices() const;
  /// Those of all processes whose clients work together.
  std::span<const Device> all_devices() const;

  /// Of a device, in bytes; nothing where the plugin does not tell, as that of CPUs.
  std::optional<MemoryUse> memory_use(size_t device = 0) const;

  /// Copies an array to a device; `values` is not needed any more when this returns.
  Buffer copy_to_device(const TensorView& values, size_t device = 0) const;
  /// Gives an array to a device and returns at once. On CPUs the array itself becomes the buffer, without a copy.
  Buffer move_to_device(Tensor values, size_t device = 0) const;
  /// Lends an array to a device and returns at once; `owner` keeps the array alive, unchanged, until nothing on the
  /// device needs it. On CPUs there is no copy if `values` is aligned to 64 bytes. Donating the buffer leaves the array
  /// as it was.
  Buffer share_with_device(const TensorView& values, std::shared_ptr<const void> owner, size_t device = 0) const;

  /// Compiles a StableHLO module for the first replicas x partitions devices.
  /// errors    CallError; its message names a file that the module has been written to
  LoadedExecutable compile(std::string_view module_text, const CompileOptions& options = {}) const;
  /// Loads what LoadedExecutable::serialize has given for `module_text`, in any process with the same plugin and the
  /// same kind of device. Custom calls that it uses must be registered. Takes only bytes from a trusted place.
  /// errors    CallError if the plugin refuses it
  LoadedExecutable load(std::string_view serialized, std::string_view module_text,
                        const CompileOptions& options = {}) const;

 private:
  std::shared_ptr<const ClientState> state_;
};

}  // namespace portatune::pjrt
