#include "portune/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "portune/base/parallel.h"

namespace portune {

int usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

ThreadPool::ThreadPool(int threads) {
  if (threads <= 0) threads = usable_cores();
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
  grain = std::max<int64_t>(1, grain);
  parallel_pieces((count + grain - 1) / grain, threads(),
                  [this](std::function<void()> task) { submit(std::move(task)); },
                  [&](int64_t piece) { work(piece * grain, std::min(count, (piece + 1) * grain)); });
}

}  // namespace portune
