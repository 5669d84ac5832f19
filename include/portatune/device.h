// Devices: where programs are compiled for and run on.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/batch_share.h"
#include "portatune/graph.h"
#include "portatune/process_group.h"
#include "portatune/tensor.h"

namespace portatune {

namespace pjrt {
class LoadedExecutable;
}  // namespace pjrt
class ShardedArray;

/// An array in the memory of a device, or of several that hold the whole or a part each. Work on it may still be under
/// way; reading it waits.
class DeviceArray {
 public:
  explicit DeviceArray(std::unique_ptr<ShardedArray> array);  ///< for the runtime's own use
  DeviceArray(DeviceArray&&) noexcept;
  DeviceArray& operator=(DeviceArray&&) noexcept;
  ~DeviceArray();

  /// Of the whole array.
  const TensorType& type() const;
  /// Whether devices have parts of it. Those of several processes then all take part in to_host().
  bool is_divided() const;
  /// Copies the elements to the host; to those of all processes, which all must call it then. DeviceError if the work
  /// that makes them failed.
  Tensor to_host() const;
  /// Calls `done` once, on some thread, when the work that makes the array is done or has failed. It may neither throw
  /// nor take long.
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
    std::shared_ptr<ProcessGroup> processes;  ///< whose devices these are; null: all are of this process
    /// Waits for the end: two that run at once would exchange in an order that is not that of other processes.
    bool one_at_a_time = false;
    std::vector<Sharding> result_shardings;  ///< of each result
    bool from_cache = false;
    double seconds = 0;
  };
  Program(std::unique_ptr<pjrt::LoadedExecutable> executable, Facts facts);  ///< as above
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  /// Starts the program on all its devices and returns at once; on CPUs of several processes, when it is done. Arrays
  /// of aliased parameters are consumed and may not be used again.
  /// errors  UsageError, ShapeError if number or types of the arguments are not those of the function's parameters
  std::vector<DeviceArray> run(const std::vector<DeviceArray*>& arguments) const;

  bool from_cache() const { return facts_.from_cache; }  ///< compiled by an earlier process
  double compile_seconds() const { return facts_.seconds; }

 private:
  std::unique_ptr<pjrt::LoadedExecutable> executable_;
  Facts facts_;
};

/// How the memory of GPUs is taken. What is not set is as XLA's CUDA plugin has it.
struct GpuMemoryOptions {
  std::optional<float> fraction;         ///< of a GPU's memory, that may be taken; 0.75
  std::optional<bool> preallocate;       ///< all of that at the start, in one piece; true
  std::optional<std::string> allocator;  ///< "bfc", "cuda_async" or "platform"
};

struct DeviceOptions {
  std::string device = "cpu";          ///< or "cuda", "cuda:1" (the GPU of this number), "cuda:0,1", "tpu"
  Mesh mesh = {};                      ///< of the devices that work together; a CPU is divided into as many as it has
  bool see_all = false;                ///< opens all GPUs, also those that the mesh does not need: to tell of them
  std::filesystem::path plugin;        ///< the XLA plugin's file; empty: looked for (see `portatune devices`)
  std::filesystem::path cache_folder;  ///< of compiled programs; empty: $XDG_CACHE_HOME/portatune/executables
  bool use_cache = true;
  std::filesystem::path programs_folder;  ///< of programs that `portatune plan --save` has compiled for this device
  bool use_kernels = true;                ///< false: every composite is compiled from its decomposition
  /// Of GPUs: attention by cuDNN, which keeps no scores in memory, where it has it: in 16 bits, without dropout of
  /// weights, of heads of at most 128. It has not been seen on a GPU so far.
  bool cudnn_attention = false;
  GpuMemoryOptions gpu_memory = {};
  /// Processes that have equally many devices of the mesh, those of the first before those of the second; null: this
  /// one has them all. On CPUs each has one. GPUs that are named are those of each process.
  /// All compile and run the same programs, put the same arrays and read the same ones, in the same order. A process
  /// has one such Device at a time: programs know no other group. So far the command alone makes groups.
  std::shared_ptr<ProcessGroup> processes = {};
  /// Called with what the user should know and what stops nothing: once that compiled programs cannot be kept, once
  /// that one is not in programs_folder.
  std::function<void(const std::string& warning)> warn = {};
};

/// What the devices of a process take of a batch (kBatchAxes); all of it if the process is alone (null). Those along
/// `tensor` take the same rows, whichever process has them.
/// errors  UsageError unless each process has equally many devices
BatchShare batch_share(const Mesh& mesh, const ProcessGroup* processes);

struct DeviceMemory {
  int64_t in_use_bytes;
  std::optional<int64_t> limit_bytes;  ///< what this process may take of a GPU or TPU; all of a CPU's
};

/// What there is, for people.
struct DeviceFacts {
  std::string platform;  ///< "cpu"
  std::filesystem::path plugin;
  std::string version;                              ///< "PJRT 0.81, StableHLO 1.13.3"
  std::vector<std::string> devices;                 ///< as the plugin describes them
  std::vector<std::optional<DeviceMemory>> memory;  ///< of each; nothing where the plugin does not tell
  std::string kernels_version;                      ///< instruction set and libraries of the kernels
  /// What decides about the last bits of results beside the program, by name: "plugin", "kernels", "flags",
  /// "instruction set" (of a GPU or TPU its kind).
  std::map<std::string, std::string> numerics = {};
};

/// A plugin's client with one device, or with those of a mesh, and what programs for it may call.
class Device {
 public:
  /// errors  DeviceError if there is no plugin, if its version is not supported, if it finds too few devices, or if
  ///         programs_folder is for another device or plugin; NotFoundError if there is none; CheckpointError if it is
  ///         damaged;
  ///         UsageError for options of GPUs with another device
  explicit Device(const DeviceOptions& options = {});
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  ~Device();

  const Target& target() const;
  const Mesh& mesh() const;
  /// Null if all devices of the mesh are of this process.
  ProcessGroup* processes() const;
  DeviceFacts facts() const;

  /// Compiles, or loads what an earlier process has compiled.
  /// errors  UsageError if the function is for another mesh; CheckpointError if a saved program is damaged
  Program compile(const Function& function) const;
  /// Copies an array to the device; to those of a mesh its parts, or to each of them the whole.
  /// errors  ShapeError if it cannot be divided so
  DeviceArray put(const TensorView& values, const Sharding& sharding = {}) const;
  /// Gives an array to the device; on a CPU that is one device without a copy.
  DeviceArray put(Tensor&& values, const Sharding& sharding = {}) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace portatune
