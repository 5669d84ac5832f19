// Properties of a device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace portatune::pjrt {

struct Device {
  int id;
  std::string kind;         ///< "cpu", "TPU v5 lite", "NVIDIA H100 80GB HBM3", ...
  std::string description;  ///< description for users
  int process = 0;          ///< number of the process that owns it, as the plugin counts processes
};

/// Use of a device's memory, in bytes.
struct MemoryUse {
  int64_t in_use;
  std::optional<int64_t> limit;  ///< maximum that the plugin will allocate
};

}  // namespace portatune::pjrt
