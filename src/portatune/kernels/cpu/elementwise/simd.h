// SIMD code: the compiler vectorises loops, once for each instruction set.
#pragma once

#include <string_view>

// Compiles a function for AVX-512 and for the oldest supported machine; the loader chooses one version. Functions that
// it calls must be PORTATUNE_INLINE to be compiled likewise. Clang 14 refuses the attribute on templates, and
// sanitizers are not ready when the loader chooses; both use the code for the oldest machine.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PORTATUNE_SIMD __attribute__((target_clones("arch=x86-64-v4", "default")))
#else
#define PORTATUNE_SIMD
#endif

#define PORTATUNE_INLINE [[gnu::always_inline]] inline

namespace portatune::kernels {

/// The instruction set of PORTATUNE_SIMD functions on this machine.
std::string_view simd_version();

}  // namespace portatune::kernels
