// A pool of host threads, for loading and encoding data, and a parallel loop.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace portatune {

/// Calls work(piece) once for every piece in [0, pieces), on the calling thread and in up to `helpers` tasks. `submit`
/// runs these tasks now or later on any threads. Returns when all pieces are done and rethrows the first error. The
/// caller never waits for a task that has not begun, so calls may be nested and concurrent.
void parallel_pieces(int64_t pieces, int64_t helpers, const std::function<void(std::function<void()>)>& submit,
                     const std::function<void(int64_t piece)>& work);

/// A fixed set of threads that execute a queue of tasks. The destructor finishes the queued tasks.
class ThreadPool {
 public:
  /// Starts at least one thread; 0 means usable_cores().
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()); }

  /// Queues a task. The task must not throw.
  void submit(std::function<void()> task);

  /// Calls work(begin, end) for consecutive ranges of at most `grain` items that cover [0, count), on the pool and on
  /// the calling thread. Returns when all are done and rethrows the first error. Calls may be nested.
  void parallel_for(int64_t count, int64_t grain, const std::function<void(int64_t begin, int64_t end)>& work);

 private:
  void run();
  void stop();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::vector<std::jthread> workers_;
};

}  // namespace portatune
