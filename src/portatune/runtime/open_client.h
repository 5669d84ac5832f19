// Opening of the devices of a mesh.
#pragma once

#include "portatune/device.h"
#include "portatune/runtime/device_name.h"
#include "portatune/runtime/pjrt/client.h"

namespace portatune {

/// Opens a client with the devices of the mesh. If the plugin's clients span processes, it has those of all processes.
/// errors  those of the constructor of Device
pjrt::Client open_client(const DeviceOptions& options, const DeviceName& name);

}  // namespace portatune
