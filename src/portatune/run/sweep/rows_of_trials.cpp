#include "portatune/run/sweep/rows_of_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "portatune/option_fields.h"
#include "portatune/run/inputs/rows/encoded_rows.h"
#include "portatune/run/inputs/rows/split.h"

namespace portatune::run {
namespace {

// Whether an option changes neither the rows nor their encoding. Options of training know no rows, but the parts of a
// step decide how texts are packed.
bool is_of_training_alone(std::string name) {
  static const std::set<std::string> kNames = [] {
    TrainingOptions options;
    std::set<std::string> names = {"epochs", "max_steps"};
    for (const OptionField& field : fields_of(options)) names.insert(field.name);
    names.erase("gradient_accumulation_steps");
    return names;
  }();
  std::ranges::replace(name, '-', '_');
  return kNames.contains(name);
}

// The settings of a trial that decide about its rows, as text. Bad rows are counted by run, so trials that skip them
// share nothing.
std::string data_settings(const Trial& trial, size_t index) {
  std::string text = trial.options.model.bad_rows ? trial_name(index) : "";
  for (const auto& [name, value] : trial.settings) {
    if (!is_of_training_alone(name)) text += fmt::format("{}={}\n", name, value);
  }
  if (trial.options.validation_split > 0) text += fmt::format("seed={}\n", trial.options.training.seed);
  return text;
}

}  // namespace

SharedRows::SharedRows(const RunOptions& first, int64_t max_encoded_bytes, Events& events)
    : encoded_(std::make_shared<data::ExampleMemory>(max_encoded_bytes)),
      plan_(with_memory(plan_run(first, {}, events))),
      rows_(split_of(plan_, *plan_.task, events)) {}

RunPlan SharedRows::plan_of(RunOptions options, std::filesystem::path checkpoint, Events& events) const {
  RunPlan plan = plan_like(plan_, std::move(options), std::move(checkpoint), events);
  return plan.task == plan_.task ? plan : with_memory(std::move(plan));
}

RunPlan SharedRows::with_memory(RunPlan plan) const {
  keep_encoded_rows(*plan.task, encoded_);
  return plan;
}

RowsOfTrials::RowsOfTrials(const std::vector<Trial>& trials, Events& events) : trials_(trials), events_(events) {
  for (size_t i = 0; i < trials.size(); ++i) {
    settings_.push_back(data_settings(trials[i], i));
    shared_.try_emplace(settings_.back());
  }
}

SharedRows& RowsOfTrials::of(size_t trial) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SharedRows>& shared = shared_.at(settings_[trial]);
  if (!shared) {
    shared = std::make_unique<SharedRows>(trials_[trial].options, kMaxEncodedRows / std::ssize(shared_), events_);
  }
  return *shared;
}

}  // namespace portatune::run
