#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {

std::string_view simd_version() {
#if defined(__x86_64__)
  const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? "x86-64-v4" : "x86-64-v3";
#else
  return "baseline";
#endif
}

}  // namespace portatune::kernels
