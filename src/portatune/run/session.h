// A training run whose model stays in memory between calls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/run/fit.h"
#include "portatune/run/inputs/rows/surveyed_rows.h"
#include "portatune/run/run_plan.h"

namespace portatune::run {

/// fit() in parts: a program may train step by step, evaluate, predict and save without loading the model again. Only
/// one thread at a time may use it.
class Session {
 public:
  /// Reads the rows, chooses everything that fit() chooses, loads the weights, and resumes the checkpoint that the
  /// options ask for.
  /// events  must outlive the session
  /// errors  those of fit(); UsageError for several processes, and for a run to resume that is finished
  Session(const RunOptions& options, Events& events);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Makes the steps that are left and saves the model, as run::fit() does.
  /// stop      requests the end
  /// callback  a further observer; null: none
  /// returns   nothing if the run was stopped; its checkpoint is saved then
  /// errors    those of run::fit(); UsageError for a second call
  std::optional<Outcome> fit(const StopToken& stop, Callback* callback = nullptr);

  /// The scores of the validation rows.
  /// errors  UsageError if there are none
  Scores evaluate();
  /// The scores of other labelled rows, as of run::evaluate() with the same batch size.
  /// words  files of rows, FILE or NAME=FILE
  Scores evaluate(const std::vector<std::string>& words);
  /// Predicts rows of files or texts, as run::predict() does with the same batch size.
  Prediction predict(const std::vector<std::string>& files, const std::vector<std::string>& texts,
                     const OpenSink& open);

  /// The batches of the steps from the next one on, as fit() uses them, without end.
  data::Cursor batches() const;
  Trainer& trainer() { return *run_.trainer; }
  const Trainer& trainer() const { return *run_.trainer; }
  const RowTask& task() const { return *plan_.task; }
  const ModelOptions& model() const { return plan_.model; }
  int64_t total_steps() const { return run_.training.total_steps; }
  /// The number of steps to make: fewer than up to total_steps() if a Callback has ended epochs.
  int64_t steps_left() const;
  int64_t steps_per_epoch() const { return run_.options.steps_per_epoch; }

 private:
  Events& events_;
  const RunPlan plan_;
  SurveyedRows rows_;
  DeviceOfRuns device_;
  OpenRun run_;
  bool has_fitted_ = false;
};

}  // namespace portatune::run
