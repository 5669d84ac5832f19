// An observer of a training in Python.
#pragma once

#include <nanobind/nanobind.h>

#include "portatune/python/calling_thread.h"
#include "portatune/train.h"

namespace portatune::python {

/// Calls the functions of a Python object at the events of a training, on the thread that has called fit():
/// on_ready(), on_step(step, total_steps), on_evaluation(step, epoch), on_epoch_end(epoch) and on_checkpoint(folder).
/// Each returns whether the training should stop. An exception from one ends the run; after KeyboardInterrupt the run
/// saves a checkpoint first, as after Ctrl-C at any other time.
class TrainingCalls final : public Callback {
 public:
  /// observer, caller  must outlive this object
  TrainingCalls(const nanobind::object& observer, CallingThread& caller) : observer_(observer), caller_(caller) {}

  void on_ready(int64_t programs, int64_t compiled, double seconds) override;
  void on_step(const StepResult& result, int64_t total_steps) override;
  void on_evaluation(int64_t step, double epoch, const Scores& scores) override;
  void on_epoch_end(int64_t epoch, double mean_loss, const Scores& scores) override;
  void on_checkpoint(const std::filesystem::path& folder) override;
  bool should_stop() override { return should_stop_; }

 private:
  template <class... Arguments>
  void call(const char* function, const Arguments&... arguments);

  const nanobind::object& observer_;
  CallingThread& caller_;
  bool should_stop_ = false;
};

}  // namespace portatune::python
