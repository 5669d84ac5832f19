// The devices that a plan can be made for, and what is known of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "portatune/plan/roofline.h"

namespace portatune::plan {

/// What XLA's compiler wants to know of a GPU; the fields are those of its message GpuDeviceInfoProto.
struct GpuFacts {
  std::string_view name;
  int compute_major, compute_minor;
  int64_t core_count, fpus_per_core, threads_per_core_limit;
  int64_t shared_memory_per_core, shared_memory_per_block_optin, l2_cache_size;
  double clock_rate_ghz;
};

/// A kind of device: one as a program sees it, which may be half a chip or a whole one.
struct Accelerator {
  std::string_view name;      ///< "tpu:v3"
  std::string_view platform;  ///< of its plugin: "tpu", "cuda" or "cpu"
  /// TPU: the smallest arrangement that libtpu compiles for.
  std::string_view topology;
  /// What the number in a name such as v5p-8 counts, for each device: 2 cores, or 1 core or chip.
  int64_t counted_per_device;
  int64_t most_counted;  ///< by that number: of a TPU those of a pod, of GPUs more than anybody joins
  int64_t memory_bytes;  ///< of a GPU all, of a TPU what programs may use; 0: that of this machine
  Peaks peaks;           ///< zeros: those of this machine are measured
  std::optional<GpuFacts> gpu;
};

/// All that are known. Where the numbers come from stands beside them.
std::span<const Accelerator> accelerators();

}  // namespace portatune::plan
