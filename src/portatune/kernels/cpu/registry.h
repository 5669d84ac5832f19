// The kernels that a program compiled for the CPU may call.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace portatune::kernels {

/// An XLA FFI handler, to be registered for the platform "Host" under `target`.
struct CpuKernel {
  std::string_view target;  ///< custom call target, e.g. "portatune.linear"
  void* handler;            ///< XLA_FFI_Error* (*)(XLA_FFI_CallFrame*)
};

/// The handlers that this machine runs well. What is missing is to be compiled from its decomposition.
std::span<const CpuKernel> cpu_kernels();

/// What programs of several processes call besides, to exchange arrays: see set_process_group().
std::span<const CpuKernel> collective_kernels();

/// "x86-64-v4, avx512_core_bf16": of compiled loops and of matrix products.
std::string cpu_instruction_set();

/// Changes whenever the same call may give other bits: part of the key under which compiled programs are kept.
std::string cpu_kernels_version();

}  // namespace portatune::kernels
