// What is known about a device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace portatune::pjrt {

struct Device {
  int id;
  std::string kind;         ///< "cpu", "TPU v5 lite", "NVIDIA H100 80GB HBM3", ...
  std::string description;  ///< for people
  int process = 0;          ///< which has it, as the plugin counts them
};

/// Of a device's memory, in bytes.
struct MemoryUse {
  int64_t in_use;
  std::optional<int64_t> limit;  ///< the most that the plugin will take
};

}  // namespace portatune::pjrt
