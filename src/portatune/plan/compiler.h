// Compiles programs for devices of a target.
#pragma once

#include <memory>

#include "portatune/device.h"
#include "portatune/graph.h"
#include "portatune/pjrt/executable.h"
#include "portatune/plan/hlo_traffic.h"
#include "portatune/plan/target.h"
#include "portatune/runtime/saved_programs.h"

namespace portatune::plan {

/// What compiling a program told.
struct Compiled {
  pjrt::MemoryStats memory;
  Traffic traffic;
  double seconds;  ///< that it took
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// errors  pjrt::CallError if the compiler refuses; its kind is kOutOfMemory where the program does not fit; Stopped
  /// keep    where the program is written to; null: nowhere
  virtual Compiled compile(const Function& function, ProgramWriter* keep = nullptr) const = 0;
  /// What the programs depend on.
  virtual ProgramOrigin origin() const = 0;

  int64_t memory_bytes() const { return memory_bytes_; }  ///< that programs may use on a device
  const Peaks& peaks() const { return peaks_; }

 protected:
  Compiler(int64_t memory_bytes, const Peaks& peaks) : memory_bytes_(memory_bytes), peaks_(peaks) {}

 private:
  int64_t memory_bytes_;
  Peaks peaks_;
};

/// For a target that need not be there: nothing of it is opened. For "cpu" this machine's peaks are measured; the
/// devices that it is divided into share them, and its memory.
/// options  how programs run on the CPU: into how many devices it is divided, plugin, kernels; on a GPU: how much of
///          its memory they may take, and whether by cuDNN's attention
/// errors  DeviceError if the plugin is missing or its version is not supported
std::unique_ptr<Compiler> open_compiler(const Target& target, DeviceOptions options);

}  // namespace portatune::plan
