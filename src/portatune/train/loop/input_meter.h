// Measurement of the time that a device waits for its input.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "portatune/base/threads/clock.h"
#include "portatune/data.h"
#include "portatune/train.h"

namespace portatune::train {

/// Meter between a loop of steps and its batches. Waiting is the time between the end of a step and the arrival of the
/// next batch: a wait of the loop while the device still works costs nothing.
class InputMeter {
 public:
  /// Returns the next batch of `batches`.
  std::optional<data::Example> next(data::Cursor& batches);
  /// Notifies the meter that the device works on this step now.
  void started(const StepResult& step);
  /// Sets the counts to zero.
  void restart();

  InputWait wait() const;
  /// Meter of the stages, for Dataset::iterate.
  data::Meter& stages() { return stages_; }

 private:
  // Shared with the callback at the end of the step, which may outlive the meter. 0: the step has not ended.
  using End = std::shared_ptr<std::atomic<Clock::rep>>;

  data::Meter stages_;
  Clock::time_point begin_ = Clock::now();
  Clock::duration waited_{};
  End step_end_;
};

}  // namespace portatune::train
