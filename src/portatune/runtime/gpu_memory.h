// How the memory of GPUs is taken, as XLA's CUDA plugin has it.
#pragma once

#include <string>

#include "portatune/device.h"
#include "portatune/pjrt/options.h"

namespace portatune {

/// The plugin's options that are set.
/// device    as the user names it, for errors
/// platform  of that device
/// errors    UsageError if any is set and the device is no GPU; for a value that makes no sense
pjrt::Options plugin_options(const GpuMemoryOptions& options, const std::string& device, const std::string& platform);

}  // namespace portatune
