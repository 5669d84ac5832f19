// The kernels that a program compiled for the CPU may call.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portatune::kernels {

/// An XLA FFI handler that is registered for the platform "Host" under `target`.
struct CpuKernel {
  std::string_view target;  ///< custom call target, e.g. "portatune.linear"
  void* handler;            ///< XLA_FFI_Error* (*)(XLA_FFI_CallFrame*)
};

/// The kernels that are fast on this machine. Other composites are compiled from their decomposition.
std::span<const CpuKernel> cpu_kernels();

/// Additional kernels for programs of several processes, which exchange arrays: see collectives.h.
std::span<const CpuKernel> collective_kernels();

/// Instruction sets of compiled loops and of matrix products: "x86-64-v4, avx512_core_bf16".
std::string cpu_instruction_set();

/// A version that changes whenever the same call may return other bits; part of the key of cached programs.
std::string cpu_kernels_version();

}  // namespace portatune::kernels
