// The main memory of this machine.
#pragma once

#include "portatune/device.h"

namespace portatune {

/// What there is, of which a control group may leave less than is built in, and how much of that processes have; what
/// the kernel keeps of files, and would give back, is not in use.
DeviceMemory machine_memory();

}  // namespace portatune
