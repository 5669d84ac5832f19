// Compiled programs.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/pjrt/compile_options.h"
#include "portatune/pjrt/module_signature.h"
#include "portatune/tensor.h"

struct PJRT_Api;
struct PJRT_Executable;
struct PJRT_LoadedExecutable;

namespace portatune::pjrt {

class Buffer;
struct ClientState;

/// What a program needs on each device, in bytes.
struct MemoryStats {
  int64_t arguments;
  int64_t results;
  int64_t aliased;  ///< results that are in the memory of donated arguments
  int64_t temporary;
  int64_t code;
  int64_t peak;  ///< the most at any time, without the code
};

/// A compiled program, for devices that need not be present.
class Executable {
 public:
  /// Takes ownership of the handle. For use inside this folder.
  Executable(const PJRT_Api& api, PJRT_Executable* handle);

  /// On each device.
  const std::vector<TensorType>& result_types() const { return result_types_; }
  /// errors    CallError if the plugin does not tell
  MemoryStats memory_stats() const;
  /// Floating-point operations of one execution, as the compiler counts them; nothing if the plugin does not tell.
  std::optional<double> flops() const;
  /// The program as the compiler has made it: XLA's message HloModuleProto.
  /// errors    CallError if the plugin does not tell
  std::string optimized_hlo() const;
  /// For Client::load.
  std::string serialize() const;

 private:
  struct Destroy {
    const PJRT_Api* api;
    void operator()(PJRT_Executable* executable) const;
  };
  std::unique_ptr<PJRT_Executable, Destroy> handle_;
  std::vector<TensorType> result_types_;
};

/// A compiled program on the devices of a client.
class LoadedExecutable {
 public:
  /// Takes ownership of the handle. For use inside this folder.
  LoadedExecutable(std::shared_ptr<const ClientState> client, PJRT_LoadedExecutable* handle,
                   std::string_view module_text, const CompileOptions& options);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Executable& executable() const { return executable_; }

  /// Starts the program on its one device and returns at once, with results that are still being computed. An error of
  /// the computation arises where a result is read; that of a very small one, which CPUs run on the spot, here. The
  /// buffers of donated parameters are deleted.
  /// errors    UsageError if their number is wrong, one is deleted, or one is donated and given twice;
  ///           ShapeError if one is of a wrong type; CallError
  std::vector<Buffer> execute(std::span<Buffer* const> arguments) const;
  /// The same, but no buffer is deleted: where the program donates parameters, the device copies them.
  std::vector<Buffer> execute_without_donation(std::span<const Buffer* const> arguments) const;
  /// Starts the program on all its devices in this process: arguments and results [device][index].
  std::vector<std::vector<Buffer>> execute_on_all(std::span<const std::vector<Buffer*>> arguments) const;

 private:
  enum class Donation { kOn, kOff };
  using DeviceArguments = std::span<const Buffer* const>;

  void check_arguments(DeviceArguments arguments, Donation donation) const;
  std::vector<std::vector<Buffer>> start(std::span<const DeviceArguments> arguments, Donation donation) const;

  struct Destroy {
    std::shared_ptr<const ClientState> client;
    void operator()(PJRT_LoadedExecutable* executable) const;
  };
  std::unique_ptr<PJRT_LoadedExecutable, Destroy> handle_;
  Executable executable_;
  size_t devices_;  ///< of this process
  std::vector<Parameter> parameters_;
  std::vector<int64_t> donated_;  ///< indices of the parameters
  bool whole_arrays_;             ///< not split over partitions, so that shapes are those of the parameters
};

}  // namespace portatune::pjrt
