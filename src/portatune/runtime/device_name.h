// "cpu", "cuda", "cuda:1", "cuda:0,1", "tpu".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace portatune {

struct DeviceName {
  std::string platform;          ///< as pjrt::find_plugin has it
  std::vector<int64_t> numbers;  ///< of GPUs, as CUDA counts them; none: the first that there are
};

/// errors  UsageError with the names that there are
DeviceName device_name(const std::string& text);

}  // namespace portatune
