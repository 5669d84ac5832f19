// "cpu", "cuda", "cuda:1", "tpu".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace portune {

struct DeviceName {
  std::string platform;           ///< as pjrt::find_plugin has it
  std::optional<int64_t> number;  ///< of one of several GPUs, as CUDA counts them; none: the first that there is
};

/// errors  UsageError with the names that there are
DeviceName device_name(const std::string& text);

}  // namespace portune
