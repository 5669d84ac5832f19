#include "portatune/base/threads/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <utility>

#include "portatune/base/threads/cores.h"
#include "portatune/base/threads/stop.h"

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

ThreadPool::ThreadPool(int threads) {
  if (threads <= 0) threads = usable_cores();
  try {
    for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { run(); });
  } catch (...) {
    stop();  // otherwise the destructors of the started threads would wait forever
    throw;
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
}

void ThreadPool::submit(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(with_current_stop(std::move(task)));
  }
  wake_.notify_one();
}

void ThreadPool::run() {
  for (;;) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void ThreadPool::parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t, int64_t)>& work) {
  grain = std::max<int64_t>(1, grain);
  parallel_pieces((count + grain - 1) / grain, threads(),
                  [this](std::function<void()> task) { submit(std::move(task)); },
                  [&](int64_t piece) { work(piece * grain, std::min(count, (piece + 1) * grain)); });
}

}  // namespace portatune
