#include "portune/kernels/cpu/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>

namespace portune::kernels {
namespace {

// One parallel_for call. Shared with the helpers, because one that starts late outlives the call: it finds no piece
// left and never touches `work`.
struct Loop {
  int64_t pieces;
  const std::function<void(int64_t)>* work;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> done{0};
  std::atomic<bool> failed{false};
  std::exception_ptr error;

  void take_pieces() {
    for (int64_t piece = next++; piece < pieces; piece = next++) {
      try {
        (*work)(piece);
      } catch (...) {
        if (!failed.exchange(true)) error = std::current_exception();
      }
      if (++done == pieces) done.notify_all();
    }
  }
};

}  // namespace

void parallel_for(const Workers& workers, int64_t pieces, const std::function<void(int64_t)>& work) {
  const int64_t helpers = std::min<int64_t>(workers.threads(), pieces) - 1;
  if (helpers <= 0) {
    for (int64_t piece = 0; piece < pieces; ++piece) work(piece);
    return;
  }
  const auto loop = std::make_shared<Loop>();
  loop->pieces = pieces;
  loop->work = &work;
  for (int64_t i = 0; i < helpers; ++i) workers.submit([loop] { loop->take_pieces(); });
  loop->take_pieces();
  for (int64_t done = loop->done; done < pieces; done = loop->done) loop->done.wait(done);
  if (loop->error) std::rethrow_exception(loop->error);
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

}  // namespace portune::kernels
