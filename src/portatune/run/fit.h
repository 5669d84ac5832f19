// A training run, which fit() makes once, a cross-validation for each fold, and a sweep for each trial.
#pragma once

#include <filesystem>
#include <optional>

#include "portatune/device.h"
#include "portatune/run/inputs/rows/surveyed_rows.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

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

/// Trains a model and saves it to plan.output. Returns nothing if the run was stopped.
/// limit  an observer that may stop the run, beside those of `events`; null: none
std::optional<Outcome> train_model(const RunPlan& plan, SurveyedRows& rows, DeviceOfRuns& device, Events& events,
                                   Callback* limit = nullptr);

}  // namespace portatune::run
