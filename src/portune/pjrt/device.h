// What is known about a device.
#pragma once

#include <string>

namespace portune::pjrt {

struct Device {
  int id;
  std::string kind;         ///< "cpu", "TPU v5 lite", "NVIDIA H100 80GB HBM3", ...
  std::string description;  ///< for people
};

}  // namespace portune::pjrt
