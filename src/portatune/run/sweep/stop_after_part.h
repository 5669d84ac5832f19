// The end of a trial after a part of its training.
#pragma once

#include "portatune/run/sweep/trial_score.h"

namespace portatune::run {

/// Stops a trial after its first evaluation from a part of its run on.
class StopAfterPart final : public Callback {
 public:
  /// options  those of the trial, which must outlive this object
  StopAfterPart(const RunOptions& options, double part) : options_(options), part_(part) {}

  void on_evaluation(int64_t step, double epoch, const Scores&) override {
    is_reached_ |= reaches(part_of_run(options_, step, epoch), part_);
  }
  bool should_stop() override { return is_reached_; }
  bool is_reached() const { return is_reached_; }

 private:
  const RunOptions& options_;
  const double part_;
  bool is_reached_ = false;
};

}  // namespace portatune::run
