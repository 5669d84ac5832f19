// The work of fit() beside the steps: when it is due.
#pragma once

#include <cstdint>

#include "portatune/train/state.h"

namespace portatune::train {

/// Decides after each step whether to evaluate, to end the epoch or to save a checkpoint. The options and the requests
/// of observers decide.
class DueWork {
 public:
  /// Sets the schedule and the planned steps of the state. A run that stopped early continues if it gets more steps.
  /// All references must outlive this object.
  /// steps_per_epoch  at least 1
  /// errors           UsageError if the state has more steps than the run
  DueWork(TrainingState& state, const FitOptions& options, Callback& callback, int64_t steps_per_epoch);

  int64_t steps_per_epoch() const { return steps_per_epoch_; }
  /// The last step of the run, if it does not end early.
  int64_t last_step() const { return last_step_; }
  /// Number of epochs so far, with a fraction within an epoch.
  double epochs() const;
  /// Returns whether no step is left.
  bool is_over() const;
  /// Returns whether all steps of all epochs are made, apart from those of epochs that an observer has ended.
  bool all_steps_made() const;

  /// Returns whether the last step ended an epoch or the run.
  bool at_epoch_end() const;
  /// Returns whether an epoch has all of its steps, and on_epoch_end() was not called for it yet.
  bool epoch_end_is_due() const;
  /// Returns whether the model is to be evaluated after the last step, and has not been evaluated yet.
  bool evaluation_is_due() const;
  /// Returns whether to save a checkpoint after the last step.
  /// is_best  whether the model is the best so far
  bool checkpoint_is_due(bool is_best) const;
  /// Returns whether an observer has asked for a checkpoint after the last step.
  bool checkpoint_is_requested() const { return requests_.save; }
  /// Returns whether any of these is due, or an observer has asked to end the epoch.
  bool any_is_due() const;

  /// Forgets the requests, as a step has started.
  void start_step() { requests_ = {}; }
  /// Adds what the observers ask for after the last started step.
  /// errors  UsageError if they ask for an evaluation without validation rows, or for a checkpoint without a folder
  void add_requests();
  /// Ends the epoch after the last step if an observer has asked for that. Its other batches are not used.
  void end_epoch_if_requested();
  /// Notes in the state how many steps were planned, if epochs that observers have ended leave fewer.
  void note_planned_steps();

 private:
  [[noreturn]] void refuse_request(const char* request, const char* expected) const;

  TrainingState& state_;
  const FitOptions& options_;
  Callback& callback_;
  const int64_t steps_per_epoch_, last_step_;
  const int64_t all_batches_;  // of all epochs
  StepRequests requests_;      // after the last started step
};

}  // namespace portatune::train
