// The devices that a mesh needs, opened.
#pragma once

#include "portune/device.h"
#include "portune/pjrt/client.h"
#include "portune/runtime/device_name.h"

namespace portune {

/// A client whose first devices are those of the mesh: the first that the plugin finds, or the GPUs that are named.
/// errors  those of the constructor of Device
pjrt::Client open_client(const DeviceOptions& options, const DeviceName& name);

}  // namespace portune
