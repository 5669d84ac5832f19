// Compiled programs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/runtime/pjrt/cache/module_signature.h"
#include "portatune/runtime/pjrt/compile_options.h"
#include "portatune/tensor.h"

struct PJRT_Api;
struct PJRT_Executable;
struct PJRT_LoadedExecutable;

namespace portatune::pjrt {

class Buffer;
class ExecuteContext;
struct ClientState;

/// The memory that a program needs on each device, in bytes.
struct MemoryStats {
  int64_t arguments;
  int64_t results;
  int64_t aliased;  ///< results in the memory of donated arguments
  int64_t temporary;
  int64_t code;
  int64_t peak;  ///< maximum at any time, without the code
};

/// A compiled program, for devices that need not be present.
class Executable {
 public:
  /// Takes ownership of the handle. For use inside this folder.
  Executable(const PJRT_Api& api, PJRT_Executable* handle);

  /// Types of the results on each device.
  const std::vector<TensorType>& result_types() const { return result_types_; }
  /// errors    CallError if the plugin does not report them
  MemoryStats memory_stats() const;
  /// The compiler's own estimate of one execution: "flops", "bytes accessed"; nothing if the plugin does not report it.
  std::optional<double> cost(std::string_view name) const;
  /// The optimised program: XLA's message HloModuleProto.
  /// errors    CallError if the plugin does not provide it
  std::string optimized_hlo() const;
  /// The program in a form for Client::load.
  std::string serialize() const;

 private:
  struct Destroy {
    const PJRT_Api* api;
    void operator()(PJRT_Executable* executable) const;
  };
  std::unique_ptr<PJRT_Executable, Destroy> handle_;
  std::vector<TensorType> result_types_;
};

/// A compiled program on the devices of a client. Copies share it.
class LoadedExecutable {
 public:
  /// Takes ownership of the handle. For use inside this folder.
  LoadedExecutable(std::shared_ptr<const ClientState> client, PJRT_LoadedExecutable* handle,
                   std::string_view module_text, const CompileOptions& options);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Executable& executable() const { return *executable_; }
  /// Sets the data that all later executions pass to the kernels. Shared with other programs of the same device.
  void set_context(std::shared_ptr<const ExecuteContext> context) { context_ = std::move(context); }

  /// Starts the program on its single device and returns at once; the results may be unfinished. Reading a result
  /// throws the errors of the computation, except for very small computations, which CPUs run during this call. The
  /// buffers of donated parameters are deleted.
  /// errors    UsageError if the number of arguments is wrong, or an argument is deleted, or is donated and given
  ///           twice; ShapeError if an argument has a wrong type; CallError
  std::vector<Buffer> execute(std::span<Buffer* const> arguments) const;
  /// The same without deleting buffers: the device copies the arguments of donated parameters.
  std::vector<Buffer> execute_without_donation(std::span<const Buffer* const> arguments) const;
  /// Starts the program on all its devices in this process: arguments and results [device][index].
  std::vector<std::vector<Buffer>> execute_on_all(std::span<const std::vector<Buffer*>> arguments) const;

 private:
  enum class Donation { kOn, kOff };
  using DeviceArguments = std::span<const Buffer* const>;

  void check_arguments(DeviceArguments arguments, Donation donation) const;
  std::vector<std::vector<Buffer>> start(std::span<const DeviceArguments> arguments, Donation donation) const;

  std::shared_ptr<const ClientState> client_;
  std::shared_ptr<PJRT_LoadedExecutable> handle_;
  std::shared_ptr<const Executable> executable_;
  size_t devices_;  ///< number of devices of this process
  std::vector<Parameter> parameters_;
  std::vector<int64_t> donated_;  ///< indices of the donated parameters
  std::shared_ptr<const ExecuteContext> context_;
  bool whole_arrays_;  ///< true without partitions: arguments have the shapes of the parameters
};

}  // namespace portatune::pjrt
