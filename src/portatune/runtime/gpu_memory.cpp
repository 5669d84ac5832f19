#include "portatune/runtime/gpu_memory.h"

#include "portatune/error.h"
#include "portatune/option_fields.h"

namespace portatune {

pjrt::Options plugin_options(const GpuMemoryOptions& options, const std::string& device, const std::string& platform) {
  check_ranges(options);
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
