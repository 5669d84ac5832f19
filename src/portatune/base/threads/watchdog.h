// Detection of hangs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace portatune {

/// Notifies watchdogs of progress: bytes were read or written, a batch arrived, a step or an exchange ended. Cheap, and
/// safe from any thread.
void note_progress() noexcept;

/// Suspends hang detection while it exists, for work that may take long without visible progress, such as a compiler.
class Unwatched {
 public:
  Unwatched() noexcept;
  ~Unwatched();
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
};

/// Detects a hang by regular looks at a progress counter.
class HangDetector {
 public:
  /// looks  number of consecutive looks without progress that make a hang
  explicit HangDetector(int64_t looks) : looks_(looks) {}
  /// progress  a number that changes with every progress
  bool is_hang(uint64_t progress, bool is_unwatched);

 private:
  const int64_t looks_;
  int64_t silent_ = 0;
  uint64_t last_ = 0;
};

/// Watches the process from its own thread.
class Watchdog {
 public:
  /// on_hang  called once, on that thread, after `timeout` without progress. Time in which the process was stopped
  ///          (SIGSTOP, a suspended machine) does not count.
  Watchdog(std::chrono::milliseconds timeout, std::function<void()> on_hang);

 private:
  void watch(const std::stop_token& end);

  const std::chrono::milliseconds timeout_;
  const std::function<void()> on_hang_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // the last member, so that it ends before the members that it uses
};

}  // namespace portatune
