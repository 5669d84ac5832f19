// What this machine's processor can do.
#pragma once

#include "portatune/device.h"
#include "portatune/plan/roofline.h"

namespace portatune::plan {

/// Runs for about a second a matrix product of 1024 x 1024 in float32 and in bfloat16, and a sum over arrays larger
/// than caches, as training steps run them (kernels, threads), and takes the best times: what is printed on a processor
/// says little about what a virtual machine gets of it.
/// errors  DeviceError if there is no plugin
Peaks measured_peaks(const DeviceOptions& device);

}  // namespace portatune::plan
