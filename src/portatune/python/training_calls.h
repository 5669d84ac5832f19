// An observer of a training in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "portatune/python/calling_thread.h"
#include "portatune/run.h"
#include "portatune/train.h"

namespace portatune::python {

/// Calls the functions of a Python object at the events of a training, on the thread that has called fit():
/// on_begin(step, total_steps, steps_per_epoch, omitted_steps, deciding_score, greater_is_better), on_step(step),
/// on_evaluation(step, epoch), on_epoch_end(epoch), on_checkpoint(folder) and on_log_request(); of several runs, before
/// each, on_run_begin(number, folder, settings). Each returns the flags of transformers' TrainerControl as a tuple:
/// should_training_stop, should_log, should_evaluate, should_save, should_epoch_stop. Its attribute waits_for_steps is
/// that of Callback. An exception from a function ends the run; after KeyboardInterrupt the run saves a checkpoint
/// first, as after Ctrl-C at any other time.
class TrainingCalls final : public Callback {
 public:
  /// observer, caller  must outlive this object
  TrainingCalls(const nanobind::object& observer, CallingThread& caller) : observer_(observer), caller_(caller) {}

  void on_begin(const FitBegin& begin) override;
  void on_step(const StepResult& result, int64_t total_steps) override;
  void on_evaluation(int64_t step, double epoch, const Scores& scores) override;
  void on_epoch_end(double epoch, double mean_loss, const Scores& scores) override;
  void on_checkpoint(const std::filesystem::path& folder) override;
  void on_log_request() override;
  StepRequests requests() override { return requests_; }
  bool waits_for_steps() override { return waits_for_steps_; }
  bool should_stop() override { return should_stop_; }

  void on_run_begin(const run::OneOfRuns& run);

 private:
  template <class... Arguments>
  void call(const char* function, const Arguments&... arguments);

  const nanobind::object& observer_;
  CallingThread& caller_;
  StepRequests requests_;
  bool waits_for_steps_ = false, should_stop_ = false;
};

/// Null for None. The arguments must outlive the result.
std::unique_ptr<TrainingCalls> calls_of(const nanobind::object& observer, CallingThread& caller);

}  // namespace portatune::python
