// What programs for a device are lowered for.
#pragma once

#include <string_view>

#include "portune/device.h"
#include "portune/pjrt/compile_options.h"

namespace portune {

/// platform  "cpu", "cuda" or "tpu": that of options.device
/// errors    UsageError for options that the platform does not have
Target target_for(std::string_view platform, const DeviceOptions& options);

/// What XLA is told about programs for the devices of a mesh there.
pjrt::XlaOptions xla_options_for(std::string_view platform, const Mesh& mesh);

}  // namespace portune
