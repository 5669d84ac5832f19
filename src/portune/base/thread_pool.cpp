#include "portune/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>

namespace portune {
namespace {

// One parallel_for call. Helpers that start late find no piece left and return, so the caller, who takes pieces too,
// never waits for a task that is still queued: nesting cannot deadlock. Shared, because late helpers outlive the call.
struct Loop {
  int64_t count, grain, pieces;
  const std::function<void(int64_t, int64_t)>* work;
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::condition_variable finished;
  int64_t done = 0;
  std::exception_ptr error;

  void take_pieces() {
    for (int64_t piece = next++; piece < pieces; piece = next++) {
      std::exception_ptr failure;
      try {
        (*work)(piece * grain, std::min(count, (piece + 1) * grain));
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      if (failure && !error) error = failure;
      if (++done == pieces) finished.notify_all();
    }
  }
};

}  // namespace

ThreadPool::ThreadPool(int threads) {
  if (threads <= 0) threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  try {
    for (int i = 0; i < threads; ++i) workers_.emplace_back([this] { run(); });
  } catch (...) {
    stop();  // those that have started would wait for ever, and their destructor for them
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
    tasks_.push_back(std::move(task));
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
  if (count <= 0) return;
  const auto loop = std::make_shared<Loop>();
  loop->count = count;
  loop->grain = std::max<int64_t>(1, grain);
  loop->pieces = (count + loop->grain - 1) / loop->grain;
  loop->work = &work;
  const int64_t helpers = std::min<int64_t>(threads(), loop->pieces - 1);
  for (int64_t i = 0; i < helpers; ++i) submit([loop] { loop->take_pieces(); });
  loop->take_pieces();
  std::unique_lock lock(loop->mutex);
  loop->finished.wait(lock, [&] { return loop->done == loop->pieces; });
  if (loop->error) std::rethrow_exception(loop->error);
}

}  // namespace portune
