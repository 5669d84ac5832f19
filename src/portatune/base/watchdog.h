// Whether the process still gets on with its work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace portatune {

/// Tells watchdogs that something was done: bytes were read or written, a batch arrived, a step or an exchange ended.
/// Cheap, and safe from any thread.
void note_progress() noexcept;

/// While one exists nothing counts as a hang. For what may take long without a sign of life: a compiler.
class Unwatched {
 public:
  Unwatched() noexcept;
  ~Unwatched();
  Unwatched(const Unwatched&) = delete;
  Unwatched& operator=(const Unwatched&) = delete;
};

/// Finds a hang by regular looks at how much was done.
class HangDetector {
 public:
  /// looks  so many in a row without progress are a hang
  explicit HangDetector(int64_t looks) : looks_(looks) {}
  /// progress  a number that changes with everything that is done
  bool is_hang(uint64_t progress, bool is_unwatched);

 private:
  const int64_t looks_;
  int64_t silent_ = 0;
  uint64_t last_ = 0;
};

/// Looks after the process from a thread of its own.
class Watchdog {
 public:
  /// on_hang  called once, on that thread, when nothing was done for as long as `timeout`. Time in which the process
  ///          was stopped (SIGSTOP, a machine that sleeps) does not count.
  Watchdog(std::chrono::milliseconds timeout, std::function<void()> on_hang);

 private:
  void watch(const std::stop_token& end);

  const std::chrono::milliseconds timeout_;
  const std::function<void()> on_hang_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace portatune
