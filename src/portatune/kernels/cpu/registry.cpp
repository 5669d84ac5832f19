#include "portatune/kernels/cpu/registry.h"

#include <vector>

#include "portatune/kernels/cpu/elementwise/simd.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/matmul/gemm.h"

namespace portatune::kernels {
namespace {

// The revision of the kernels; increase it with every change of a kernel's arithmetic, operands or attributes.
constexpr int kRevision = 12;

std::vector<CpuKernel> kernels_of_this_machine() {
  std::vector<CpuKernel> all;
  const auto add = [&](const std::vector<CpuKernel>& kernels) {
    all.insert(all.end(), kernels.begin(), kernels.end());
  };
  add(barrier_kernels());
  add(elementwise_kernels());
  add(layer_norm_kernels());
  add(rms_norm_kernels());
  add(search_kernels());
  add(update_kernels());
  // XLA's matrix products are faster than oneDNN's where those are not native.
  if (gemm_is_native(DType::kFloat32)) {
    add(linear_kernels());
    add(convolution_kernels());
    add(attention_kernels());
    add(block_attention_kernels());
  }
  return all;
}

}  // namespace

std::span<const CpuKernel> cpu_kernels() {
  static const std::vector<CpuKernel> kernels = kernels_of_this_machine();
  return kernels;
}

std::string cpu_instruction_set() { return std::string(simd_version()) + ", " + gemm_instruction_set(); }

std::string cpu_kernels_version() {
  return "portatune kernels " + std::to_string(kRevision) + ", " + std::string(simd_version()) + ", " + gemm_version();
}

}  // namespace portatune::kernels
