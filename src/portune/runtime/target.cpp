#include "portune/runtime/target.h"

#include "portune/error.h"
#include "portune/graph/ops/cudnn_attention.h"
#include "portune/kernels/cpu/registry.h"

namespace portune {
namespace {

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
                      .expected = "a GPU: cuDNN is NVIDIA's",
                      .fix = "leave it out, or add --device cuda"});
  }
  if (platform == "cpu") return cpu_target(options);
  if (options.cudnn_attention) return {.kernels = {std::string(kCudnnAttention)}};
  return {};
}

}  // namespace portune
