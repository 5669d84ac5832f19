// Compiles programs for devices of a target.
#pragma once

#include <memory>
#include <optional>

#include "portatune/analysis/plan/hlo_traffic.h"
#include "portatune/analysis/plan/target.h"
#include "portatune/device.h"
#include "portatune/graph.h"
#include "portatune/runtime/pjrt/executable.h"
#include "portatune/runtime/saved_programs.h"

namespace portatune::plan {

/// Results of compiling a program.
struct Compiled {
  pjrt::MemoryStats memory;
  double traffic;                              ///< of hlo_traffic(), in bytes
  double seconds;                              ///< duration of compilation
  std::optional<double> xla_flops, xla_bytes;  ///< XLA's own analysis of the cost, if the plugin has one
};

/// A compiler for one kind of device.
class Compiler {
 public:
  virtual ~Compiler() = default;
  /// errors  pjrt::CallError if the compiler refuses, of kind kOutOfMemory if the program does not fit; Stopped
  /// keep    writer of the program; null: none
  virtual Compiled compile(const Function& function, ProgramWriter* keep = nullptr) const = 0;
  /// Properties of plugin and device on which the programs depend.
  virtual ProgramOrigin origin() const = 0;

  int64_t memory_bytes() const { return memory_bytes_; }  ///< memory of a device for programs
  const Peaks& peaks() const { return peaks_; }

 protected:
  Compiler(int64_t memory_bytes, const Peaks& peaks) : memory_bytes_(memory_bytes), peaks_(peaks) {}

 private:
  int64_t memory_bytes_;
  Peaks peaks_;
};

/// A compiler for a target, which need not be present: nothing of it is opened. For "cpu" this machine's peaks are
/// measured; its devices share them, and its memory.
/// options  CPU: number of devices, plugin, kernels; GPU: share of its memory for programs, and use of cuDNN's
///          attention
/// errors  DeviceError if the plugin is missing or its version is not supported
std::unique_ptr<Compiler> open_compiler(const Target& target, DeviceOptions options);

}  // namespace portatune::plan
