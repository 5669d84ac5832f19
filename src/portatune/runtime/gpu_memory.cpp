#include "portatune/runtime/gpu_memory.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "portatune/base/message.h"
#include "portatune/error.h"

namespace portatune {
namespace {

constexpr std::array<std::string_view, 3> kAllocators = {"bfc", "cuda_async", "platform"};

void require_sense(const GpuMemoryOptions& options) {
  // Above 1, CUDA would page memory to the host, which is seldom intended.
  if (options.fraction && !(*options.fraction > 0 && *options.fraction <= 1)) {
    throw UsageError({.where = "gpu_memory_fraction",
                      .given = to_text(*options.fraction),
                      .expected = "a fraction of the memory: more than 0, at most 1"});
  }
  if (options.allocator && std::ranges::find(kAllocators, *options.allocator) == kAllocators.end()) {
    throw UsageError(
        {.where = "gpu_allocator", .given = in_quotes(*options.allocator), .expected = "bfc, cuda_async or platform"});
  }
}

}  // namespace

pjrt::Options plugin_options(const GpuMemoryOptions& options, const std::string& device, const std::string& platform) {
  require_sense(options);
  pjrt::Options taken;
  if (options.fraction) taken["memory_fraction"] = *options.fraction;
  if (options.preallocate) taken["preallocate"] = *options.preallocate;
  if (options.allocator) taken["allocator"] = *options.allocator;
  if (taken.empty() || platform == "cuda") return taken;
  const std::string option = options.fraction      ? "gpu_memory_fraction"
                             : options.preallocate ? "gpu_preallocate"
                                                   : "gpu_allocator";
  throw UsageError({.where = option,
                    .given = "device \"" + device + "\"",
                    .expected = "a GPU, because the option sets how GPU memory is allocated",
                    .fix = "remove the option, or add --device cuda"});
}

}  // namespace portatune
