#include "portune/kernels/cpu/registry.h"

#include <vector>

#include "portune/kernels/cpu/gemm.h"
#include "portune/kernels/cpu/handlers.h"
#include "portune/kernels/cpu/simd.h"

namespace portune::kernels {
namespace {

// Raise it with every change of a kernel's arithmetic, operands or attributes.
constexpr int kRevision = 6;

using Handler = XLA_FFI_Error* (*)(XLA_FFI_CallFrame*);
CpuKernel kernel(std::string_view target, Handler handler) { return {target, reinterpret_cast<void*>(handler)}; }

std::vector<CpuKernel> kernels_of_this_machine() {
  std::vector<CpuKernel> kernels{
      kernel("portune.gelu", portune_gelu),
      kernel("portune.gelu_grad", portune_gelu_grad),
      kernel("portune.dropout", portune_dropout),
      kernel("portune.rotary", portune_rotary),
      kernel("portune.layer_norm", portune_layer_norm),
      kernel("portune.layer_norm_grad", portune_layer_norm_grad),
      kernel("portune.rms_norm", portune_rms_norm),
      kernel("portune.rms_norm_grad", portune_rms_norm_grad),
      kernel("portune.adamw", portune_adamw),
      kernel("portune.sum_of_squares", portune_sum_of_squares),
      kernel("portune.column_sums", portune_column_sums),
      kernel("portune.barrier", portune_barrier),
      kernel("portune.embedding_grad", portune_embedding_grad),
  };
  // Without matrix products of oneDNN's own, XLA's are faster.
  if (gemm_is_native(DType::kFloat32)) {
    kernels.insert(
        kernels.end(),
        {kernel("portune.linear", portune_linear), kernel("portune.linear_no_bias", portune_linear_no_bias),
         kernel("portune.linear_dx", portune_linear_dx), kernel("portune.linear_dw", portune_linear_dw),
         kernel("portune.attention", portune_attention), kernel("portune.attention_grad", portune_attention_grad)});
  }
  return kernels;
}

}  // namespace

std::span<const CpuKernel> collective_kernels() {
  static const std::vector<CpuKernel> kernels{
      kernel("portune.all_reduce", portune_all_reduce),
      kernel("portune.all_gather", portune_all_gather),
      kernel("portune.reduce_scatter", portune_reduce_scatter),
      kernel("portune.process_rank", portune_process_rank),
  };
  return kernels;
}

std::span<const CpuKernel> cpu_kernels() {
  static const std::vector<CpuKernel> kernels = kernels_of_this_machine();
  return kernels;
}

std::string cpu_kernels_version() {
  return "portune kernels " + std::to_string(kRevision) + ", " + std::string(simd_version()) + ", " + gemm_version();
}

}  // namespace portune::kernels
