#include "portune/plan/roofline.h"

namespace portune::plan {

double Work::all_flops() const {
  double sum = 0;
  for (const auto& [dtype, count] : flops) sum += count;
  return sum;
}

Estimate roofline(const Work& work, const Peaks& peaks) {
  Estimate estimate{.memory_s = work.bytes / peaks.bytes};
  for (const auto& [dtype, count] : work.flops) {
    estimate.compute_s += count / (dtype == DType::kBFloat16 ? peaks.bfloat16 : peaks.float32);
  }
  return estimate;
}

}  // namespace portune::plan
