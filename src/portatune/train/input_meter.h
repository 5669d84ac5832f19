// How long a device waits for its input.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "portatune/meter.h"
#include "portatune/train.h"

namespace portatune::train {

/// Stands between a loop of steps and its batches. What counts as waiting is the time between the end of a step and the
/// arrival of the next batch: a loop that waits while the device still works costs nothing.
class InputMeter {
 public:
  using Clock = std::chrono::steady_clock;

  /// The next batch of `batches`.
  std::optional<data::Example> next(data::Cursor& batches);
  /// The device works on this step now.
  void started(const StepResult& step);
  /// Begins to count anew.
  void restart();

  InputWait wait() const;
  /// Of the stages, for Dataset::iterate.
  data::Meter& stages() { return stages_; }

 private:
  // Shared with what is called when the step ends, which may be after the meter is gone. 0: it has not ended.
  using End = std::shared_ptr<std::atomic<Clock::rep>>;

  data::Meter stages_;
  Clock::time_point begin_ = Clock::now();
  Clock::duration waited_{};
  End step_end_;
};

}  // namespace portatune::train
