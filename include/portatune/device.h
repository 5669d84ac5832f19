// Devices, for which programs are compiled and on which they run.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/graph.h"
#include "portatune/process_group.h"
#include "portatune/tensor.h"

namespace portatune {

class OptionFields;
namespace pjrt {
class LoadedExecutable;
}  // namespace pjrt
class ShardedArray;

/// An array in the memory of one device, or of several devices that each hold the whole or a shard. The work that
/// computes it may be unfinished; reading it waits.
class DeviceArray {
 public:
  explicit DeviceArray(std::unique_ptr<ShardedArray> array);  ///< for internal use by the runtime
  DeviceArray(DeviceArray&&) noexcept;
  DeviceArray& operator=(DeviceArray&&) noexcept;
  ~DeviceArray();

  /// Type of the whole array.
  const TensorType& type() const;
  /// True if devices hold shards of it. If they belong to several processes, all processes must call to_host().
  bool is_divided() const;
  /// Copies the whole array to the host, of each process if it is divided among several.
  /// memory  a tensor of the same type, whose memory the result may take; others are ignored
  /// errors  DeviceError if the work that computes the array failed
  Tensor to_host(Tensor memory = {}) const;
  /// Calls `done` once, on any thread, when the work that computes the array has finished or failed. `done` must be
  /// fast and must not throw.
  void on_ready(std::function<void()> done) const;

 private:
  friend class Program;
  std::unique_ptr<ShardedArray> array_;
};

/// A compiled Function.
class Program {
 public:
  struct Facts {
    Mesh mesh;
    std::shared_ptr<ProcessGroup> processes;  ///< processes that own the devices; null: this process owns all
    /// True if run() waits for the end. Two programs at once might exchange in another order than on other processes.
    bool one_at_a_time = false;
    std::vector<Sharding> result_shardings;  ///< sharding of each result
    bool from_cache = false;
    double seconds = 0;
  };
  Program(std::unique_ptr<pjrt::LoadedExecutable> executable, Facts facts);  ///< for internal use by the runtime
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  /// Starts the program on all its devices and returns at once; on CPUs of several processes, returns when it has
  /// finished. Arrays of aliased parameters are consumed and may not be used again.
  /// errors  UsageError or ShapeError if the number or types of the arguments differ from the function's parameters
  std::vector<DeviceArray> run(const std::vector<DeviceArray*>& arguments) const;

  bool from_cache() const { return facts_.from_cache; }  ///< compiled by an earlier process
  double compile_seconds() const { return facts_.seconds; }

 private:
  std::unique_ptr<pjrt::LoadedExecutable> executable_;
  Facts facts_;
};

/// Memory allocation on GPUs. Absent options have the defaults of XLA's CUDA plugin, which are given here.
struct GpuMemoryOptions {
  std::optional<float> fraction;         ///< maximal part of a GPU's memory to allocate; 0.75
  std::optional<bool> preallocate;       ///< allocate all of it at the start, in one block; true
  std::optional<std::string> allocator;  ///< "bfc", "cuda_async" or "platform"

  void describe(OptionFields& fields);
};

struct DeviceOptions {
  std::string device = "cpu";          ///< or "cuda", "cuda:1" (the GPU of this number), "cuda:0,1", "tpu"
  Mesh mesh = {};                      ///< devices that work together; a CPU is divided into as many as the mesh has
  bool see_all = false;                ///< open all GPUs to list them, even those that the mesh does not need
  std::filesystem::path plugin;        ///< file of the XLA plugin; empty: search for it (see `portatune devices`)
  std::filesystem::path cache_folder;  ///< cache of compiled programs; empty: $XDG_CACHE_HOME/portatune/executables
  bool use_cache = true;
  std::filesystem::path programs_folder;  ///< programs that `portatune plan --save` has compiled for this device
  bool use_kernels = true;                ///< false: every composite is compiled from its decomposition
  /// On GPUs, use cuDNN's attention, which stores no scores, where it is available: with 16 bits, without dropout of
  /// weights, and with heads of at most 128 features.
  bool cudnn_attention = false;
  GpuMemoryOptions gpu_memory = {};
  /// Processes that each own the same number of devices of the mesh, in order of rank; null: this process owns all. A
  /// process on CPUs owns one device. Numbers of GPUs in `device` apply to each process.
  /// All processes compile and run the same programs, and put and read the same arrays, in the same order. Each
  /// Device of a process may have a group of its own. So far only the command makes groups.
  std::shared_ptr<ProcessGroup> processes = {};
  /// Called with warnings for the user, once each: compiled programs cannot be cached; a program is missing in
  /// programs_folder.
  std::function<void(const std::string& warning)> warn = {};

  void describe(OptionFields& fields);
};

/// The local rows of a process (kBatchAxes); all rows without a process group (null). Devices along `tensor` take the
/// same rows, even if they belong to different processes.
/// errors  UsageError unless each process has the same number of devices
BatchShare batch_share(const Mesh& mesh, const ProcessGroup* processes);

struct DeviceMemory {
  int64_t in_use_bytes;
  std::optional<int64_t> limit_bytes;  ///< maximum for this process on a GPU or TPU; all memory of a CPU
};

/// A description of the device for users.
struct DeviceFacts {
  std::string platform;  ///< "cpu"
  std::filesystem::path plugin;
  std::string version;                              ///< "PJRT 0.81, StableHLO 1.13.3"
  std::vector<std::string> devices;                 ///< descriptions by the plugin
  std::vector<std::optional<DeviceMemory>> memory;  ///< memory of each device, if the plugin reports it
  std::string kernels_version;                      ///< instruction set and libraries of the kernels
  /// Factors beside the program that influence the last bits of results, by name: "plugin", "kernels", "flags",
  /// "instruction set" (the kind of a GPU or TPU).
  std::map<std::string, std::string> numerics = {};
};

/// A plugin's client with one device or the devices of a mesh, and the kernels that programs for it may call.
class Device {
 public:
  /// errors  DeviceError if there is no plugin, if its version is not supported, if it finds too few devices, or if
  ///         programs_folder is for another device or plugin; NotFoundError if programs_folder does not exist;
  ///         CheckpointError if it is damaged; UsageError for options of GPUs with another device
  explicit Device(const DeviceOptions& options = {});
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  const Target& target() const;
  const Mesh& mesh() const;
  /// The process group, or null if this process owns all devices of the mesh.
  ProcessGroup* processes() const;
  DeviceFacts facts() const;

  /// Compiles the function, or loads its program if an earlier process has compiled it.
  /// errors  UsageError if the function is for another mesh; CheckpointError if a saved program is damaged
  Program compile(const Function& function) const;
  /// Copies an array to the device; on a mesh, its shards or the whole array to each device.
  /// errors  ShapeError if the array cannot be divided so
  DeviceArray put(const TensorView& values, const Sharding& sharding = {}) const;
  /// Moves an array to the device, without a copy if the device is a single CPU.
  DeviceArray put(Tensor&& values, const Sharding& sharding = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
