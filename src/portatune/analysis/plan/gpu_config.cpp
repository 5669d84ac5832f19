#include "portatune/analysis/plan/gpu_config.h"

#include "portatune/base/text/message.h"

namespace portatune::plan {

std::string gpu_target_config(const Accelerator& accelerator) {
  const GpuFacts& gpu = accelerator.gpu.value();
  // Limits that all GPUs of these generations share: CUDA C++ Programming Guide, table of technical specifications.
  std::string text =
      "gpu_device_info { threads_per_block_limit: 1024 threads_per_warp: 32 shared_memory_per_block: 49152 "
      "block_dim_limit_x: 2147483647 block_dim_limit_y: 65535 block_dim_limit_z: 65535 "
      "registers_per_core_limit: 65536 registers_per_block_limit: 65536";
  const auto field = [&](const char* name, const std::string& value) { text += " " + (name + (": " + value)); };
  const auto integer = [&](const char* name, int64_t value) { field(name, std::to_string(value)); };
  integer("shared_memory_per_core", gpu.shared_memory_per_core);
  integer("shared_memory_per_block_optin", gpu.shared_memory_per_block_optin);
  integer("threads_per_core_limit", gpu.threads_per_core_limit);
  integer("core_count", gpu.core_count);
  integer("fpus_per_core", gpu.fpus_per_core);
  integer("memory_bandwidth", static_cast<int64_t>(accelerator.peaks.bytes));
  integer("l2_cache_size", gpu.l2_cache_size);
  field("clock_rate_ghz", to_text(gpu.clock_rate_ghz));
  integer("device_memory_size", accelerator.memory_bytes);
  text += " cuda_compute_capability { major: " + std::to_string(gpu.compute_major) +
          " minor: " + std::to_string(gpu.compute_minor) + " } }\n";
  return text +
         "platform_name: \"CUDA\"\n"
         "dnn_version_info { major: 9 minor: 8 patch: 0 }\n"
         "runtime_version { major: 13 minor: 0 patch: 0 }\n"
         "device_description_str: \"" +
         std::string(gpu.name) + "\"\n";
}

}  // namespace portatune::plan
