// How loops become SIMD code: the compiler vectorises them, once for each instruction set.
#pragma once

#include <string_view>

// Compiles a function for AVX-512 as well as for the oldest supported machine; the loader picks one. Functions called
// from it take part only if they are PORTATUNE_INLINE. Clang 14 refuses the attribute on templates, and sanitizers are
// not ready when the loader picks: there, code for the oldest machine is good enough.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PORTATUNE_SIMD __attribute__((target_clones("arch=x86-64-v4", "default")))
#else
#define PORTATUNE_SIMD
#endif

#define PORTATUNE_INLINE [[gnu::always_inline]] inline

namespace portatune::kernels {

/// The instruction set that PORTATUNE_SIMD functions run with on this machine.
std::string_view simd_version();

}  // namespace portatune::kernels
