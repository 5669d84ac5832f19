#include "portatune/analysis/plan/roofline.h"

namespace portatune::plan {

double Work::all_flops() const {
  double sum = 0;
  for (const auto& [dtype, count] : flops) sum += count;
  return sum;
}

Estimate roofline(const Work& work, const Peaks& peaks) {
  Estimate estimate{.memory_s = work.bytes / peaks.bytes};
  if (peaks.links > 0) estimate.exchange_s = work.sent_bytes / peaks.links;
  for (const auto& [dtype, count] : work.flops) {
    const bool is_short = dtype == DType::kBFloat16 || dtype == DType::kFloat16;
    estimate.compute_s += count / (is_short ? peaks.bfloat16 : peaks.float32);
  }
  return estimate;
}

}  // namespace portatune::plan
