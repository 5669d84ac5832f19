// Measured peaks of this machine's processor.
#pragma once

#include "portatune/analysis/plan/roofline.h"
#include "portatune/device.h"

namespace portatune::plan {

/// Measures a matrix product of 1024 x 1024 in float32 and in bfloat16, and a sum over arrays larger than caches, for
/// about a second, as training steps run them (kernels, threads), and takes the best times. The data sheet of a
/// processor says little about the share that a virtual machine gets.
/// errors  DeviceError if there is no plugin
Peaks measured_peaks(const DeviceOptions& device);

}  // namespace portatune::plan
