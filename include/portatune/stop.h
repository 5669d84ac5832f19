// Requests to end a run.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace portatune {

/// Thrown by a function that ends because of a stop request. It is not an Error: nothing is wrong.
struct Stopped {};

/// Knows whether the StopSource that made it has requested a stop. It may outlive that source.
class StopToken {
 public:
  /// A token without a source, which never requests a stop.
  StopToken() = default;

  bool stop_requested() const noexcept { return requested_ && *requested_; }

 private:
  friend class StopSource;
  explicit StopToken(std::shared_ptr<const std::atomic<bool>> requested) : requested_(std::move(requested)) {}

  std::shared_ptr<const std::atomic<bool>> requested_;  // shared with the source, which may end before its runs
};

/// Requests the end of the runs that have its token, and of no others.
class StopSource {
 public:
  StopSource() = default;
  StopSource(const StopSource&) = delete;
  StopSource& operator=(const StopSource&) = delete;

  StopToken token() const { return StopToken(requested_); }
  /// Safe from any thread and in signal handlers. A request cannot be withdrawn.
  void request_stop() noexcept { *requested_ = true; }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free);  // required in signal handlers

  const std::shared_ptr<std::atomic<bool>> requested_ = std::make_shared<std::atomic<bool>>(false);
};

/// Throws Stopped if a stop is requested of the run that this thread works for. Custom sources poll it while they wait.
void stop_if_requested();

}  // namespace portatune
