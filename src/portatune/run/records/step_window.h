// Sums over the steps since the last line of the log.
#pragma once

#include <nlohmann/json.hpp>

#include "portatune/run/records/metrics_log.h"
#include "portatune/train.h"

namespace portatune::run {

class StepWindow {
 public:
  StepWindow() = default;
  /// Continues the sums of a checkpoint; empty sums if they are invalid.
  explicit StepWindow(const Json& saved);

  /// wait  time since the clock was restarted, up to this step
  void add(const StepResult& result, const InputWait& wait);
  /// The clock of the input restarts, as after an evaluation.
  void restart_clock() { last_ = {}; }
  bool empty() const { return steps_ == 0; }
  /// Starts the next line.
  void clear();

  /// Mean over the steps.
  double mean_loss() const { return loss_sum_ / static_cast<double>(steps_); }
  /// Adds tokens per second, and the shares of padding and of waiting for input.
  void describe_input(Json& line) const;
  /// The sums that a checkpoint keeps.
  Json saved() const;

 private:
  int64_t steps_ = 0;
  double loss_sum_ = 0;
  TokenCount tokens_;
  InputWait time_;  // of these steps
  InputWait last_;  // as the last step has reported it
};

}  // namespace portatune::run
