#include "portatune/kernels/cpu/registry.h"

#include <vector>

#include "portatune/kernels/cpu/elementwise/simd.h"
#include "portatune/kernels/cpu/handlers.h"
#include "portatune/kernels/cpu/matmul/gemm.h"

namespace portatune::kernels {
namespace {

// The revision of the kernels; increase it with every change of a kernel's arithmetic, operands or attributes.
constexpr int kRevision = 6;

using Handler = XLA_FFI_Error* (*)(XLA_FFI_CallFrame*);
CpuKernel kernel(std::string_view target, Handler handler) { return {target, reinterpret_cast<void*>(handler)}; }

std::vector<CpuKernel> kernels_of_this_machine() {
  std::vector<CpuKernel> kernels{
      kernel("portatune.gelu", portatune_gelu),
      kernel("portatune.gelu_grad", portatune_gelu_grad),
      kernel("portatune.dropout", portatune_dropout),
      kernel("portatune.rotary", portatune_rotary),
      kernel("portatune.layer_norm", portatune_layer_norm),
      kernel("portatune.layer_norm_grad", portatune_layer_norm_grad),
      kernel("portatune.rms_norm", portatune_rms_norm),
      kernel("portatune.rms_norm_grad", portatune_rms_norm_grad),
      kernel("portatune.adamw", portatune_adamw),
      kernel("portatune.sum_of_squares", portatune_sum_of_squares),
      kernel("portatune.column_sums", portatune_column_sums),
      kernel("portatune.barrier", portatune_barrier),
      kernel("portatune.embedding_grad", portatune_embedding_grad),
  };
  // XLA's matrix products are faster than oneDNN's where those are not native.
  if (gemm_is_native(DType::kFloat32)) {
    kernels.insert(
        kernels.end(),
        {kernel("portatune.linear", portatune_linear), kernel("portatune.linear_no_bias", portatune_linear_no_bias),
         kernel("portatune.linear_dx", portatune_linear_dx), kernel("portatune.linear_dw", portatune_linear_dw),
         kernel("portatune.attention", portatune_attention),
         kernel("portatune.attention_grad", portatune_attention_grad)});
  }
  return kernels;
}

}  // namespace

std::span<const CpuKernel> collective_kernels() {
  static const std::vector<CpuKernel> kernels{
      kernel("portatune.all_reduce", portatune_all_reduce),
      kernel("portatune.all_gather", portatune_all_gather),
      kernel("portatune.reduce_scatter", portatune_reduce_scatter),
      kernel("portatune.process_rank", portatune_process_rank),
  };
  return kernels;
}

std::span<const CpuKernel> cpu_kernels() {
  static const std::vector<CpuKernel> kernels = kernels_of_this_machine();
  return kernels;
}

std::string cpu_instruction_set() { return std::string(simd_version()) + ", " + gemm_instruction_set(); }

std::string cpu_kernels_version() {
  return "portatune kernels " + std::to_string(kRevision) + ", " + std::string(simd_version()) + ", " + gemm_version();
}

}  // namespace portatune::kernels
