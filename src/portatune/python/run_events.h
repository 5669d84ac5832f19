// What runs in Python have in common: their arguments, reports and files.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/python/arguments.h"
#include "portatune/python/calling_thread.h"
#include "portatune/run.h"
#include "portatune/run/records/result_json.h"

namespace portatune::python {

/// The reports of a training run on stderr, without advice for a shell.
class Events : public cli::TrainingEvents {
 public:
  using cli::TrainingEvents::TrainingEvents;

  void stopped(int64_t, const std::filesystem::path& checkpoint) override { checkpoint_ = checkpoint; }
  void resumable(const std::filesystem::path& checkpoint, const std::string& reason) override {
    checkpoint_ = checkpoint;
    notice(reason);
  }
  void unmeasured(const std::string& validation_set) override {
    notice("stopped; the model is saved, and not measured on \"" + validation_set + "\"");
  }

  /// The checkpoint of a run that was stopped, or has failed; empty: there is none.
  const std::filesystem::path& checkpoint() const { return checkpoint_; }

 private:
  std::filesystem::path checkpoint_;
};

/// The JSON of the outcome of a run; nothing if the run was stopped.
template <class Outcome>
std::optional<std::string> json_of(const std::optional<Outcome>& outcome) {
  return outcome ? std::optional(run::json_of(*outcome)) : std::nullopt;
}

/// errors  UsageError for options of several runs
void require_one_run(const cli::FitArguments& a);

/// The arguments of one run.
/// errors  those of arguments_of() and require_one_run()
cli::FitArguments arguments_of_run(const Words& words);

/// Calls `predict`, and puts the file of predictions in place when it has returned.
/// inputs  the files and patterns of the rows
/// errors  those of run::prediction_file() and of cli::ResultFile
void write_predictions(const std::filesystem::path& output, const run::ModelOptions& model, const Words& inputs,
                       const std::function<void(const run::OpenSink&)>& predict);

/// Runs `work` by the thread that calls. KeyboardInterrupt then has the attribute `checkpoint`, as a text,
/// and names it in its message.
/// checkpoint  set by `work`; empty: there is none
/// errors      those of CallingThread::run()
void run_naming_checkpoint(CallingThread& caller, const std::function<void()>& work,
                           const std::filesystem::path& checkpoint);

}  // namespace portatune::python
