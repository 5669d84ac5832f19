#include "portatune/runtime/target.h"

#include "portatune/error.h"
#include "portatune/graph/ops/attention/cudnn_attention.h"
#include "portatune/kernels/cpu/registry.h"

namespace portatune {
namespace {

// By default XLA combines collectives on GPUs until they move 30 MiB: the weights of several layers, which are then all
// in memory, and their gradients. 0 disables this.
constexpr int64_t kMaxBytesJoined = 0;

Target cpu_target(const DeviceOptions& options) {
  Target target{.across_processes = options.processes != nullptr};
  const auto add = [&](std::span<const kernels::CpuKernel> kernels) {
    for (const kernels::CpuKernel& kernel : kernels) target.kernels.emplace(kernel.target);
  };
  if (options.use_kernels) add(kernels::cpu_kernels());
  if (target.across_processes) add(kernels::collective_kernels());
  return target;
}

}  // namespace

Target target_for(std::string_view platform, const DeviceOptions& options) {
  if (options.cudnn_attention && platform != "cuda") {
    throw UsageError({.where = "cudnn_attention",
                      .given = "a device of " + std::string(platform),
                      .expected = "an NVIDIA GPU, which cuDNN needs",
                      .fix = "remove the option, or add --device cuda"});
  }
  if (platform == "cpu") return cpu_target(options);
  Target target{.is_gpu = platform == "cuda"};
  if (options.cudnn_attention) target.kernels.emplace(kCudnnAttention);
  return target;
}

pjrt::XlaOptions xla_options_for(std::string_view platform, const Mesh& mesh) {
  if (platform != "cuda" || mesh.fsdp == 1) return {};
  return {{"xla_gpu_all_gather_combine_threshold_bytes", kMaxBytesJoined},
          {"xla_gpu_reduce_scatter_combine_threshold_bytes", kMaxBytesJoined}};
}

}  // namespace portatune
