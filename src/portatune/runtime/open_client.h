// The devices that a mesh needs, opened.
#pragma once

#include "portatune/device.h"
#include "portatune/pjrt/client.h"
#include "portatune/runtime/device_name.h"

namespace portatune {

/// A client with the devices of the mesh, and those of the other processes, if the plugin has clients of several.
/// errors  those of the constructor of Device
pjrt::Client open_client(const DeviceOptions& options, const DeviceName& name);

}  // namespace portatune
