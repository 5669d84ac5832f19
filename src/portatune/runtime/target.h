// What programs for a device are lowered for.
#pragma once

#include <string_view>

#include "portatune/device.h"
#include "portatune/pjrt/compile_options.h"

namespace portatune {

/// platform  "cpu", "cuda" or "tpu": that of options.device
/// errors    UsageError for options that the platform does not have
Target target_for(std::string_view platform, const DeviceOptions& options);

/// What XLA is told about programs for the devices of a mesh there.
pjrt::XlaOptions xla_options_for(std::string_view platform, const Mesh& mesh);

}  // namespace portatune
