#include "portatune/kernels/cpu/workers.h"

#include <algorithm>
#include <utility>

#include "portatune/base/threads/thread_pool.h"

namespace portatune::kernels {

void parallel_for(const Workers& workers, int64_t pieces, const std::function<void(int64_t)>& work) {
  parallel_pieces(
      pieces, workers.threads() - 1, [&](std::function<void()> task) { workers.submit(std::move(task)); }, work);
}

void parallel_ranges(const Workers& workers, int64_t count, int64_t grain,
                     const std::function<void(int64_t, int64_t)>& work) {
  parallel_for(workers, (count + grain - 1) / grain,
               [&](int64_t piece) { work(piece * grain, std::min(count, (piece + 1) * grain)); });
}

std::vector<float> parallel_sums(const Workers& workers, int64_t count, int64_t grain, int64_t width,
                                 const std::function<void(int64_t begin, int64_t end, float* sums)>& work) {
  const int64_t pieces = (count + grain - 1) / grain;
  std::vector<float> sums(static_cast<size_t>(pieces * width)), total(static_cast<size_t>(width));
  parallel_ranges(workers, count, grain,
                  [&](int64_t begin, int64_t end) { work(begin, end, sums.data() + begin / grain * width); });
  for (int64_t piece = 0; piece < pieces; ++piece) {
    for (int64_t j = 0; j < width; ++j) total[static_cast<size_t>(j)] += sums[static_cast<size_t>(piece * width + j)];
  }
  return total;
}

}  // namespace portatune::kernels
