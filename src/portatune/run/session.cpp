#include "portatune/run/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/error.h"
#include "portatune/run/inputs/batches/evaluated_rows.h"
#include "portatune/run/inputs/batches/padding.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/training_files.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/run/output/output_lock.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

// The lock ends with this function: another session of this output may wait for fit() as well.
RunPlan plan_session(const RunOptions& options, Events& events) {
  check_run(options);
  if (options.device.processes != nullptr) {
    throw UsageError({.where = "Session", .given = "several processes", .expected = "a session in one process"});
  }
  const bool starts_from_model = options.resume_from_checkpoint.empty();
  check_output_folder(options.output, starts_from_model ? options.model.folder : options.resume_from_checkpoint);
  const OutputLock lock(options.output, events);
  return plan_run(options, checkpoint_of(options, events), events);
}

// While this object lives, the task has its own lengths in place of those of the training, which other rows may exceed.
class LengthsOfTask {
 public:
  explicit LengthsOfTask(const RunPlan& plan) : plan_(plan) { take_any_length(); }
  ~LengthsOfTask() {
    take_any_length();  // a packed training has chosen no lengths
    set_lengths(*plan_.task, {.lengths = plan_.model.lengths, .pairs = plan_.model.pairs});
  }
  LengthsOfTask(const LengthsOfTask&) = delete;
  LengthsOfTask& operator=(const LengthsOfTask&) = delete;

 private:
  void take_any_length() {
    RowTask& task = *plan_.task;
    if (task.max_target_length() > 0) {
      task.set_pairs({{task.max_length(), task.max_target_length()}});
    } else if (task.varies_in_length()) {
      task.set_lengths({task.max_length()});
    }
  }

  const RunPlan& plan_;
};

// The files of checkpoints that a run adds to the trainer, which refer to its records.
class CheckpointFiles {
 public:
  explicit CheckpointFiles(Trainer& trainer) : trainer_(trainer) {}
  ~CheckpointFiles() { trainer_.set_checkpoint_files({}); }
  CheckpointFiles(const CheckpointFiles&) = delete;
  CheckpointFiles& operator=(const CheckpointFiles&) = delete;

 private:
  Trainer& trainer_;
};

}  // namespace

Session::Session(const RunOptions& options, Events& events)
    : events_(events),
      plan_(plan_session(options, events)),
      rows_(split_of(plan_, *plan_.task, events)),
      device_(plan_.device, events),
      run_(open_run(plan_, rows_, device_, events)) {
  if (run_.trainer) return;
  throw UsageError({.where = "resume",
                    .given = "the finished run in " + plan_.output.string(),
                    .expected = "a run with steps to make",
                    .fix = "give its folder as the model of a new run"});
}

std::optional<Outcome> Session::fit(const StopToken& stop, Callback* callback) {
  if (has_fitted_) {
    throw UsageError({.where = "fit",
                      .given = fmt::format("a run that was trained before, for {} steps", trainer().steps()),
                      .expected = "one call for a run",
                      .fix = "train a new run, whose model is the folder of this one"});
  }
  const OutputLock lock(plan_.output, events_);
  has_fitted_ = true;
  const CheckpointFiles files(trainer());
  return train_open_run(run_, plan_, rows_, device_, stop, events_, callback);
}

Scores Session::evaluate() {
  if (rows_.validation().empty()) {
    throw UsageError({.where = "evaluate", .given = "no rows", .expected = "rows, or a run with validation rows"});
  }
  return evaluate_all(trainer(), rows_.validation(), *events_.progress(kEvaluating));
}

Scores Session::evaluate(const std::vector<std::string>& words) {
  require_rows(words);
  const LengthsOfTask lengths(plan_);
  const std::vector<ValidationSet> sets =
      evaluation_sets(plan_.model, with_hub_files(words), *plan_.task, eval_batch_size(plan_), events_);
  return evaluate_all(trainer(), sets, *events_.progress(kEvaluating));
}

Prediction Session::predict(const std::vector<std::string>& files, const std::vector<std::string>& texts,
                            const OpenSink& open) {
  require_rows_to_predict(files, texts);
  const LengthsOfTask lengths(plan_);
  RowTask& task = *plan_.task;
  const data::Dataset rows = rows_to_predict(plan_.model, with_hub_files(files), texts, task);
  const std::unique_ptr<PredictionSink> sink = open(task, rows);
  set_lengths_for(rows, plan_.model, task, eval_batch_size(plan_), events_);
  return predict_rows(trainer(), plan_.model, task, rows, eval_batch_size(plan_), *sink, events_);
}

int64_t Session::steps_left() const {
  const int64_t batches = train::batches_of_epochs(total_steps(), steps_per_epoch());
  return std::min(total_steps() - trainer().steps(), batches - trainer().next_batch());
}

data::Cursor Session::batches() const {
  data::Cursor cursor = run_.batches.prefetch(2).repeat().iterate();
  cursor.skip(run_.trainer->next_batch());
  return cursor;
}

}  // namespace portatune::run
