// How fast a step can be at best.
#pragma once

#include <algorithm>
#include <map>

#include "portatune/tensor.h"

namespace portatune::plan {

/// What a device does per second at best.
struct Peaks {
  double float32 = 0;   ///< floating-point operations of matrix products of float32, which are computed as such
  double bfloat16 = 0;  ///< the same of bfloat16
  double bytes = 0;     ///< between the device and its memory
  double links = 0;     ///< bytes that it sends to other devices; 0: they share its memory
};

/// What a step asks for.
struct Work {
  std::map<DType, double> flops;  ///< of matrix products, by the type of their operands
  double bytes = 0;               ///< to and from memory
  double sent_bytes = 0;          ///< to other devices

  double all_flops() const;
};

/// The roofline: arithmetic, memory and links each at their peak, side by side.
struct Estimate {
  double compute_s = 0, memory_s = 0, exchange_s = 0;

  double seconds() const { return std::max({compute_s, memory_s, exchange_s}); }
  /// The share of the peak that matrix products can reach at best: of those of their types.
  double utilization() const { return seconds() > 0 ? compute_s / seconds() : 0; }
};

/// where   float16 has the peak of bfloat16; other types count as float32
/// source  Williams, Waterman, Patterson: Roofline, CACM 2009
Estimate roofline(const Work& work, const Peaks& peaks);

}  // namespace portatune::plan
