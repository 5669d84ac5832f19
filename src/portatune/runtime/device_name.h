// Names of devices: "cpu", "cuda", "cuda:1", "cuda:0,1", "tpu".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace portatune {

struct DeviceName {
  std::string platform;          ///< platform for pjrt::find_plugin
  std::vector<int64_t> numbers;  ///< numbers of GPUs, as CUDA counts them; empty: the first ones
};

/// Parses a device name.
/// errors  UsageError, which lists the valid names
DeviceName device_name(const std::string& text);

}  // namespace portatune
