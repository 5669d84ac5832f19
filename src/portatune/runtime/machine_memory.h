// The main memory of this machine.
#pragma once

#include <cstdint>
#include <optional>

#include "portatune/device.h"

namespace portatune {

/// The machine's memory, or the limit of the control group if it is lower, and the part of it that processes use.
/// Memory that the kernel uses to cache files counts as free.
DeviceMemory machine_memory();

/// The main memory that this process uses; nothing if the system does not report it.
std::optional<int64_t> resident_bytes();

}  // namespace portatune
