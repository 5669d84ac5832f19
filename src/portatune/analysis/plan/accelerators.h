// The devices for which a plan can be made, and their properties.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "portatune/analysis/plan/roofline.h"

namespace portatune::plan {

/// Properties of a GPU for XLA's compiler; the fields are those of its message GpuDeviceInfoProto.
struct GpuFacts {
  std::string_view name;
  int compute_major, compute_minor;
  int64_t core_count, fpus_per_core, threads_per_core_limit;
  int64_t shared_memory_per_core, shared_memory_per_block_optin, l2_cache_size;
  double clock_rate_ghz;
};

/// A kind of device as a program sees it, which may be half a chip or a whole one.
struct Accelerator {
  std::string_view name;      ///< "tpu:v3"
  std::string_view platform;  ///< platform of its plugin: "tpu", "cuda" or "cpu"
  /// The smallest TPU topology that libtpu compiles for.
  std::string_view topology;
  /// Number by which a name such as v5p-8 counts each device: 2 cores, or 1 core or chip.
  int64_t counted_per_device;
  int64_t max_counted;   ///< maximum of that number: a pod of TPUs; of GPUs more than any real cluster
  int64_t memory_bytes;  ///< GPU: all memory; TPU: memory for programs; 0: memory of this machine
  Peaks peaks;           ///< zeros: measured on this machine
  std::optional<GpuFacts> gpu;
};

/// All known accelerators. The sources of the numbers are beside them.
std::span<const Accelerator> accelerators();

}  // namespace portatune::plan
