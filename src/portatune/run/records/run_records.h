// The records of a run: files in its output folder that say how the model was trained.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "portatune/base/threads/clock.h"
#include "portatune/run/opening.h"
#include "portatune/run/records/evaluation_log.h"
#include "portatune/run/records/event_file.h"
#include "portatune/run/records/metrics_log.h"
#include "portatune/run/records/step_window.h"
#include "portatune/run/records/trainer_state.h"
#include "portatune/train.h"

namespace portatune::run {

/// Removes the temporary files of records that killed processes have left in an output folder.
/// errors  IoError
void remove_leftovers_of_records(const std::filesystem::path& output);

/// Writes metrics.jsonl, evaluations.jsonl, training_args.json and events for TensorBoard during training,
/// trainer_state.json and the model card at its end. A file that cannot be written does not end the run: the first one
/// is a warning. Of several processes the first one writes.
class RunRecords final : public Callback {
 public:
  /// Starts the records, or continues them after the step of the checkpoint that the run resumes.
  /// opening, events  must outlive this object
  /// training         the options of the trainer
  RunRecords(const Opening& opening, const TrainingOptions& training, Events& events);

  /// Writes the errors of the evaluations of these sets to evaluations.jsonl, if the task has an error analyzer.
  void observe(std::vector<EvaluationSet>& sets);

  void on_input(const InputWait& wait) override { wait_ = wait; }
  void on_step(const StepResult& result, int64_t total_steps) override;
  void on_evaluation(int64_t step, double epoch, const Scores& scores) override;
  void on_epoch_end(double, double, const Scores&) override { window_.restart_clock(); }
  void on_log_request() override { add_steps(); }

  /// Adds an evaluation, unless the log has one of this step: a resumed run may repeat that of the checkpoint's step.
  void add_evaluation(int64_t step, const Scores& scores, double seconds);
  /// trainer_state.json of a checkpoint of now: with the sums of the steps since the last line of the log, from which a
  /// resumed run continues.
  std::map<std::string, std::string> checkpoint_files() const;
  /// Writes what describes the result. The model is saved.
  void finish(const Outcome& outcome);

 private:
  void try_to(const std::function<void()>& write);
  void write_arguments(const TrainingOptions& training);
  void open_log();
  void resume_log();
  void open_events();
  void add(Json line);
  void add_steps();
  void write_card(const Outcome& outcome);
  bool has_evaluation(int64_t step) const;
  TrainerState state(int64_t best_step) const;
  // The last record of transformers' log_history.
  Json training_summary(const Outcome& outcome) const;
  double epoch_of(int64_t step) const;
  int64_t logging_steps() const;
  double seconds() const;

  const Opening& opening_;
  Events& events_;
  const Clock::time_point start_;
  double earlier_s_ = 0;  // time of the run before it was resumed
  Clock::time_point last_step_;
  int64_t step_;
  double learning_rate_ = 0, grad_norm_ = 0;  // of the last step
  StepWindow window_;
  InputWait wait_;
  std::optional<MetricsLog> log_;
  std::optional<EvaluationLog> evaluations_;
  std::optional<EventFile> events_file_;
  bool has_warned_ = false;
};

}  // namespace portatune::run
