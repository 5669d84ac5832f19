// Best possible speed of a step.
#pragma once

#include <algorithm>
#include <map>

#include "portatune/tensor.h"

namespace portatune::plan {

/// Peak rates of a device per second.
struct Peaks {
  double float32 = 0;   ///< floating-point operations in matrix products computed as float32
  double bfloat16 = 0;  ///< floating-point operations in matrix products computed as bfloat16
  double bytes = 0;     ///< between the device and its memory
  double links = 0;     ///< bytes sent to other devices; 0: devices share memory
};

/// Work of a step.
struct Work {
  std::map<DType, double> flops;  ///< operations of matrix products, by the type of their operands
  double bytes = 0;               ///< to and from memory
  double sent_bytes = 0;          ///< to other devices

  double all_flops() const;
};

/// The roofline estimate: arithmetic, memory and links, each at their peak, at the same time.
struct Estimate {
  double compute_s = 0, memory_s = 0, exchange_s = 0;

  double seconds() const { return std::max({compute_s, memory_s, exchange_s}); }
};

/// The time of this work on a device with these peaks. float16 has the peak of bfloat16; other types count as float32.
/// source  Williams, Waterman, Patterson: Roofline, CACM 2009
Estimate roofline(const Work& work, const Peaks& peaks);

}  // namespace portatune::plan
