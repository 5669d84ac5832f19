// Lowering targets and compiler options of devices.
#pragma once

#include <string_view>

#include "portatune/device.h"
#include "portatune/runtime/pjrt/compile_options.h"

namespace portatune {

/// The lowering target of a platform.
/// platform  "cpu", "cuda" or "tpu": the platform of options.device
/// errors    UsageError for options that the platform lacks
Target target_for(std::string_view platform, const DeviceOptions& options);

/// XLA's options for programs on the devices of a mesh.
pjrt::XlaOptions xla_options_for(std::string_view platform, const Mesh& mesh);

}  // namespace portatune
