// Cross-validation: a model for each part of the rows, trained on the other parts.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "portatune/base/threads/stop.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/run/fit.h"
#include "portatune/run/folds/fold_predictions.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/encoded_rows.h"
#include "portatune/run/inputs/rows/example_weights.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/split.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/launch/events_at_once.h"
#include "portatune/run/launch/events_of_run.h"
#include "portatune/run/launch/runs_at_once.h"
#include "portatune/run/options/run_options.h"
#include "portatune/run/options/strategies.h"
#include "portatune/run/options/training_options.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/run/output/output_lock.h"
#include "portatune/run/output/run_checkpoints.h"
#include "portatune/run/records/run_records.h"
#include "portatune/run/run_plan.h"
#include "portatune/sources.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/checkpoint/run_facts.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

constexpr auto kFoldLabels = RowTask::Labels::kRequired;
constexpr const char* kOutOfFold = "out_of_fold.jsonl";
constexpr const char* kTest = "test.jsonl";

// The settings that a resumed run must have in common with the run. The file marks the folder of a cross-validation.
constexpr const char* kFacts = "cross_validation.json";

bool is_trained(const fs::path& folder) { return fs::exists(folder / "config.json"); }

void check_options(const RunOptions& a) {
  if (!a.validation.empty()) {
    throw UsageError({.where = "validation",
                      .given = "--folds as well",
                      .expected = "one of them: with folds, each model is measured on the rows that it has not seen"});
  }
  if (a.max_train_samples > 0 || a.max_eval_samples > 0) {
    throw UsageError({.where = a.max_train_samples > 0 ? "max_train_samples" : "max_eval_samples",
                      .given = "--folds as well",
                      .expected = "one of them: with folds, each row is predicted"});
  }
  if (a.model.bad_rows) {
    throw UsageError({.where = "bad_rows",
                      .given = "--folds as well",
                      .expected = "--bad-rows fail: each row belongs to a fold, and has a prediction"});
  }
  if (!a.resume_from_checkpoint.empty()) {
    throw UsageError({.where = "resume_from_checkpoint",
                      .given = "--folds as well",
                      .expected = "--resume, which resumes the fold that was interrupted"});
  }
}

// All settings that determine the models.
train::RunFacts facts_of(const RunPlan& a, const RowTask& task, int64_t rows) {
  train::RunFacts facts = train::facts_of(training_options(a, task, rows), a.device.mesh);
  facts.insert({{"folds", std::to_string(a.folds)},
                {"group_column", a.group_column},
                {"epochs", std::to_string(a.epochs)},
                {"steps_per_epoch", std::to_string(a.steps_per_epoch)},
                {"max_steps", std::to_string(a.max_steps)}});
  return facts;
}

// Random folds; of rows with one class each, every fold has the same share of each class.
std::vector<int> random_folds(const RunOptions& a, const RowTask& task, const data::Dataset& rows, Events& events) {
  const int folds = static_cast<int>(a.folds);
  const std::optional<std::vector<std::string>> classes = classes_of(task, rows);
  if (!classes) return data::k_fold(count(rows), folds, a.training.seed);
  try {
    return data::stratified_k_fold(*classes, folds, a.training.seed);
  } catch (const UsageError& error) {
    events.notice(fmt::format("folds are made regardless of the rows' classes: {}", error.report().given));
    return data::k_fold(std::ssize(*classes), folds, a.training.seed);
  }
}

void read_through(const data::Dataset& rows) {
  for (data::Cursor cursor = interruptible(rows).iterate(); cursor.next();) continue;
}

// The fold of each row.
std::vector<int> folds_of(const RunOptions& a, const RowTask& task, const data::Dataset& rows, Events& events) {
  if (a.group_column.empty()) return random_folds(a, task, rows, events);
  std::vector<std::string> groups;
  for (const data::Example& row :
       interruptible(data::read_table(a.train, table_options(a.model, {a.group_column}))).iterate()) {
    groups.push_back(row.text(a.group_column));
  }
  if (const int64_t examples = count(rows); examples != std::ssize(groups)) {
    throw UsageError({.where = "group_column",
                      .given = fmt::format("{} rows in the files, and {} for the task", groups.size(), examples),
                      .expected = "a table with a row for each example"});
  }
  return data::group_k_fold(groups, static_cast<int>(a.folds));
}

// Returns whether an earlier run has trained the model of a fold, and reports that.
bool is_trained(const RunPlan& plan, int64_t fold, Events& events) {
  const fs::path folder = folder_of(plan, fold);
  io::recover_directory(folder);
  train::recover_checkpoints(folder);
  remove_leftovers_of_records(folder);
  if (!is_trained(folder)) return false;
  events.notice(fmt::format("fold {} of {}: trained by an earlier run", fold + 1, plan.folds));
  return true;
}

// Trains the model of a fold. Returns false if the run was stopped on request.
// encoded    rows that any fold has encoded
// has_begun  whether a fold has trained before; set to true
bool train_fold(const RunPlan& plan, int64_t fold, const std::vector<int>& fold_of,
                const std::shared_ptr<data::ExampleMemory>& encoded, const RunsAtOnce::Context& context,
                std::atomic<bool>& has_begun, EventsAtOnce& all_events, Callback* callback) {
  RunPlan of_fold = plan;
  of_fold.stop = context.stop;
  of_fold.output = folder_of(plan, fold);
  of_fold.model.valid_checkpoint = hub::new_valid_checkpoint();
  all_events.notice(fmt::format("fold {} of {}", fold + 1, plan.folds));
  EventsOfRun events(all_events, context, fmt::format("fold {}", fold + 1),
                     !has_begun.exchange(true) || context.is_alone);
  of_fold.training.must_match["fold"] = fmt::format("{} of {}", fold + 1, plan.folds);
  of_fold.checkpoint = checkpoint_of(of_fold, events);
  if (!of_fold.checkpoint.empty()) {
    of_fold.task = open_task(of_fold.model, of_fold.checkpoint, plan.train, Classes::kOfRows, events);
    keep_encoded_rows(*of_fold.task, encoded);
  }
  const RowTask& task = *of_fold.task;
  const data::Dataset rows = training_rows(plan, task);
  const data::Dataset held_out = without_weights(rows_of(rows, fold_of, fold, true));
  const data::Dataset batches = evaluation_batches(plan.model, task, held_out, eval_batch_size(plan), kFoldLabels);
  SurveyedRows split({.train = rows_of(rows, fold_of, fold, false), .validation = {{"", held_out, batches}}});
  all_events.run_begins({.number = fold + 1, .output = of_fold.output});
  if (train_model(of_fold, split, context.device, events, callback)) return true;
  events.report_stop();
  return false;
}

void require_predictions_of_rows(const RunPlan& plan) {
  if (plan.task->predicts_rows()) return;
  throw UsageError({.where = "folds",
                    .given = "--task " + plan.model.task,
                    .expected = "a task whose predictions are of rows, one each"});
}

// The rows of a fold are measured and predicted in one pass.
void require_predictions_of_labelled_rows(const RunPlan& plan) {
  if (plan.task->predicts_labelled_rows()) return;
  throw UsageError({.where = "folds",
                    .given = "--task " + plan.model.task,
                    .expected = "a task that measures and predicts rows in one pass",
                    .fix = "leave out --folds, and measure the model with --validation"});
}

// The predictions of test rows are the means of those of all models.
void require_mean_predictions(const RunPlan& plan) {
  if (plan.test.empty() || plan.task->has_mean_predictions()) return;
  throw UsageError({.where = "test",
                    .given = "--test with --task " + plan.model.task,
                    .expected = "a task whose predictions have a mean, as all models predict the test rows together",
                    .fix = "leave out --test, and predict its rows with the model of a fold: portatune predict"});
}

// Returns false if the run was stopped on request. The predictions open a device of their own.
bool train_folds(const RunPlan& plan, const std::vector<int>& fold_of, Events& events, Callback* callback) {
  const auto encoded = std::make_shared<data::ExampleMemory>(kMaxEncodedRows);
  keep_encoded_rows(*plan.task, encoded);
  EventsAtOnce shared_events(events);
  std::atomic<bool> has_begun = false;
  std::vector<size_t> folds;
  for (int64_t fold = 0; fold < plan.folds; ++fold) {
    if (!is_trained(plan, fold, shared_events)) folds.push_back(static_cast<size_t>(fold));
  }
  const auto train = [&](size_t fold, const RunsAtOnce::Context& context) {
    return train_fold(plan, static_cast<int64_t>(fold), fold_of, encoded, context, has_begun, shared_events, callback);
  };
  if (RunsAtOnce(plan, callback, shared_events).train(folds, train)) return true;
  shared_events.report_stop();
  return false;
}

FoldOutcome predict_folds(const RunPlan& plan, const std::vector<int>& fold_of, Events& events) {
  events.notice("predicting the rows that each model has not seen");
  FoldPredictions predictions(plan, fold_of, events);
  for (int64_t fold = 0; fold < plan.folds; ++fold) predictions.add(fold);
  FoldOutcome outcome{.output = plan.output, .predictions = {plan.output / kOutOfFold}};
  if (!plan.test.empty()) outcome.predictions.push_back(plan.output / kTest);
  predictions.write(plan.output / kOutOfFold, plan.output / kTest);
  outcome.folds = predictions.scores();
  outcome.out_of_fold = predictions.scores_of_all();
  return outcome;
}

}  // namespace

std::optional<FoldOutcome> cross_validate(const RunOptions& options, Events& events, Callback* callback) {
  const StopScope scope(options.stop);
  check_options_of_run(options);
  check_checkpoints(options);
  check_validation_split(options);
  check_options(options);
  check_strategies(options);
  check_folder_of_runs(options.output, kFacts, options.resume, options.overwrite_output);
  if (options.overwrite_output) require_model_elsewhere(options.model.folder, options.output);
  const OutputLock lock(options.output, events);
  const RunPlan plan = plan_run(options, {}, events);
  require_predictions_of_rows(plan);
  require_predictions_of_labelled_rows(plan);
  require_mean_predictions(plan);
  const RowTask& task = *plan.task;
  // Faults in the test rows end the run before training.
  if (!plan.test.empty()) read_through(read_rows(plan.model, plan.test, task, RowTask::Labels::kIgnored));
  const std::vector<int> fold_of =
      folds_of(plan, task, interruptible(read_rows(plan.model, plan.train, task, kFoldLabels)), events);
  if (plan.overwrite_output) remove_earlier_runs(plan.output, "fold-", {kFacts, kOutOfFold, kTest});
  require_same_runs(plan.output / kFacts, facts_of(plan, task, std::ssize(fold_of)));
  if (!train_folds(plan, fold_of, events, callback)) return std::nullopt;
  return predict_folds(plan, fold_of, events);
}

}  // namespace portatune::run
