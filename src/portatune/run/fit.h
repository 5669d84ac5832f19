// A training run, which fit() makes once, a cross-validation for each fold, and a sweep for each trial.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "portatune/device.h"
#include "portatune/run/inputs/rows/surveyed_rows.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// errors  UsageError for options out of range, and for those that exclude each other
void check_run(const RunOptions& options);

/// The checkpoint that the run starts from: the one that was asked for, or the newest of an earlier run; empty: none.
/// errors  OutputError if the output folder holds another run
std::filesystem::path checkpoint_of(const RunOptions& a, Events& events);

/// The device of a run or of several runs, which the first one that trains opens. The others do not compile its
/// programs again.
class DeviceOfRuns {
 public:
  /// events  receives the warnings of the device, and must outlive this object
  DeviceOfRuns(const DeviceOptions& options, Events& events) : options_(with_warnings(options, events)) {}

  const Device& open() {
    if (!device_) device_.emplace(options_);
    return *device_;
  }

 private:
  const DeviceOptions options_;
  std::optional<Device> device_;
};

/// What a run trains on, and its model in memory.
struct OpenRun {
  int64_t examples = 0;                          ///< number of training examples
  data::Dataset batches;                         ///< those of an epoch
  FitOptions options = {};                       ///< the length, the validation, the checkpoints; without observers
  TrainingOptions training = {};                 ///< with total_steps
  std::unique_ptr<RowProgress> evaluation = {};  ///< observer of the validation during training
  std::optional<Trainer> trainer = {};           ///< with weights; none: the run is finished, and its model is saved
};
/// The arguments must outlive the result, as in train_model().
OpenRun open_run(const RunPlan& plan, SurveyedRows& rows, DeviceOfRuns& device, Events& events);

/// Trains the model of an open run and saves it to plan.output. Returns nothing if the run was stopped. The arguments
/// are those of open_run().
/// stop   requests the end
/// limit  as in train_model()
std::optional<Outcome> train_open_run(OpenRun& run, const RunPlan& plan, SurveyedRows& rows, DeviceOfRuns& device,
                                      const StopToken& stop, Events& events, Callback* limit = nullptr);

/// The result of a run whose model is in its output folder already.
/// examples  number of training examples; 0: not known
Outcome outcome_of_finished(const std::filesystem::path& output, int64_t examples = 0);

/// Trains a model and saves it to plan.output. Returns nothing if the run was stopped.
/// limit  an observer beside those of `events`, which may stop the run and make requests; null: none
std::optional<Outcome> train_model(const RunPlan& plan, SurveyedRows& rows, DeviceOfRuns& device, Events& events,
                                   Callback* limit = nullptr);

}  // namespace portatune::run
