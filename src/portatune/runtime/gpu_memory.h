// Options of XLA's CUDA plugin for the memory of GPUs.
#pragma once

#include <string>

#include "portatune/device.h"
#include "portatune/runtime/pjrt/client.h"

namespace portatune {

/// The given options as options of the plugin.
/// device    the user's name of the device, for errors
/// platform  platform of the device
/// errors    UsageError for an invalid value, or if an option is given and the device is not a GPU
pjrt::Options plugin_options(const GpuMemoryOptions& options, const std::string& device, const std::string& platform);

}  // namespace portatune
