#include "portatune/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>

namespace portatune {
namespace {

// Shared with the tasks of helpers, because a task that starts late outlives the call: it finds no piece left and never
// touches `work`.
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

void parallel_pieces(int64_t pieces, int64_t helpers, const std::function<void(std::function<void()>)>& submit,
                     const std::function<void(int64_t)>& work) {
  helpers = std::min(helpers, pieces - 1);
  if (helpers <= 0) {
    for (int64_t piece = 0; piece < pieces; ++piece) work(piece);
    return;
  }
  const auto loop = std::make_shared<Loop>();
  loop->pieces = pieces;
  loop->work = &work;
  for (int64_t i = 0; i < helpers; ++i) submit([loop] { loop->take_pieces(); });
  loop->take_pieces();
  for (int64_t done = loop->done; done < pieces; done = loop->done) loop->done.wait(done);
  if (loop->error) std::rethrow_exception(loop->error);
}

}  // namespace portatune
