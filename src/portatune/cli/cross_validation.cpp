// portatune fit --folds: a model for each part of the rows, trained on the others.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/cli/batch_shapes.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/example_weights.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/fit.h"
#include "portatune/cli/fold_predictions.h"
#include "portatune/cli/hang.h"
#include "portatune/cli/make_task.h"
#include "portatune/cli/model_length.h"
#include "portatune/cli/output_lock.h"
#include "portatune/cli/report.h"
#include "portatune/cli/result_file.h"
#include "portatune/cli/rows.h"
#include "portatune/cli/signals.h"
#include "portatune/cli/terminal_events.h"
#include "portatune/cli/training_files.h"
#include "portatune/cli/validation_split.h"
#include "portatune/error.h"
#include "portatune/folds.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/io/text/json.h"
#include "portatune/sources.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/checkpoint/run_facts.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;

constexpr auto kLabels = RowTask::Labels::kRequired;
constexpr const char* kOutOfFold = "out_of_fold.jsonl";
constexpr const char* kTest = "test.jsonl";

// What a resumption must have in common with the run whose folds it goes on with; and the sign that a folder is one.
constexpr const char* kFacts = "cross_validation.json";

bool is_trained(const fs::path& folder) { return fs::exists(folder / "config.json"); }

void check_options(const FitArguments& a) {
  if (!a.validation.empty()) {
    throw UsageError({.where = "validation",
                      .given = "--folds as well",
                      .expected = "one of them: with folds, each model is measured on the rows that it has not seen"});
  }
  if (a.model.bad_rows) {
    throw UsageError({.where = "bad_rows",
                      .given = "--folds as well",
                      .expected = "--bad-rows fail: each row belongs to a fold, and has a prediction"});
  }
  if (!a.resume_from_checkpoint.empty()) {
    throw UsageError({.where = "resume_from_checkpoint",
                      .given = "--folds as well",
                      .expected = "--resume, which goes on with the fold that was interrupted"});
  }
}

// An earlier run's folder is resumed or overwritten if that is asked for, and nothing else is written to.
void check_output(const FitArguments& a) {
  if (fs::exists(a.output) && !fs::is_directory(a.output)) {
    throw OutputError({.where = "--output " + a.output.string(), .given = "a file", .expected = "a folder"});
  }
  const auto is_lock = [](const fs::directory_entry& entry) {
    return entry.path().filename() == kLockFile || entry.path().filename() == io::kLostAndFound;
  };
  if (!fs::exists(a.output) || std::ranges::all_of(fs::directory_iterator(a.output), is_lock)) return;
  const bool is_run = fs::exists(a.output / kFacts);
  if (is_run && (a.resume || a.overwrite_output)) return;
  throw OutputError({.where = "--output " + a.output.string(),
                     .given = is_run ? "a folder with an earlier run's models" : "a folder that is not empty",
                     .expected = "a new folder",
                     .fix = is_run ? "continue with --resume, start anew with --overwrite-output, or choose another"
                                   : "remove the folder, or choose another"});
}

// Removes what an earlier cross-validation wrote.
void remove_earlier_folds(const fs::path& output) {
  std::vector<fs::path> earlier = {output / kFacts, output / kOutOfFold, output / kTest};
  for (const fs::directory_entry& entry : fs::directory_iterator(output)) {
    if (entry.is_directory() && entry.path().filename().string().starts_with("fold-")) earlier.push_back(entry.path());
  }
  for (const fs::path& path : earlier) fs::remove_all(path);
}

// errors  UsageError for what differs from the run that is gone on with
void require_same_run(const FitArguments& a, const train::RunFacts& facts) {
  const fs::path file = a.output / kFacts;
  if (!fs::exists(file)) {
    ResultFile result(file);
    result.write(io::line_of({{"facts", facts}}));
    result.finish();
    return;
  }
  train::require_same_run(a.output, io::JsonObject::read(file).get_string_map("facts"), facts);
}

// Of all that decides about the models.
train::RunFacts facts_of(const FitArguments& a, const RowTask& task, int64_t rows) {
  train::RunFacts facts = train::facts_of(training_options(a, task, rows), a.device.mesh);
  facts[train::kModelFact] = fs::absolute(a.model.folder).lexically_normal().string();
  facts.insert({{"folds", std::to_string(a.folds)},
                {"group_column", a.group_column},
                {"epochs", std::to_string(a.epochs)},
                {"steps_per_epoch", std::to_string(a.steps_per_epoch)},
                {"max_steps", std::to_string(a.max_steps)}});
  return facts;
}

// Of each class equally many in each, where rows have one.
std::vector<int> random_folds(const FitArguments& a, const RowTask& task, const data::Dataset& rows,
                              run::Events& events) {
  const int folds = static_cast<int>(a.folds);
  const std::optional<std::vector<std::string>> classes = classes_of(a, task, rows);
  if (!classes) return data::k_fold(count(rows), folds, a.training.seed);
  try {
    return data::stratified_k_fold(*classes, folds, a.training.seed);
  } catch (const UsageError& error) {
    events.notice(fmt::format("folds are made whatever the rows' classes: {}", error.report().given));
    return data::k_fold(std::ssize(*classes), folds, a.training.seed);
  }
}

void read_through(const data::Dataset& rows) {
  for (data::Cursor cursor = interruptible(rows).iterate(); cursor.next();) continue;
}

// The fold of each row.
std::vector<int> folds_of(const FitArguments& a, const RowTask& task, const data::Dataset& rows, run::Events& events) {
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

// Trains the model of a fold, unless an earlier run has done so. False if a signal stopped it.
// fresh  the task of the model that training starts from
bool train_fold(const FitArguments& a, const RowTask& fresh, int64_t fold, const std::vector<int>& fold_of,
                run::Events& events) {
  FitArguments of_fold = a;
  of_fold.output = folder_of(a, fold);
  io::recover_directory(of_fold.output);
  train::recover_checkpoints(of_fold.output);
  if (is_trained(of_fold.output)) {
    events.notice(fmt::format("fold {} of {}: trained by an earlier run", fold + 1, a.folds));
    return true;
  }
  events.notice(fmt::format("fold {} of {}", fold + 1, a.folds));
  of_fold.training.must_match = {{"fold", fmt::format("{} of {}", fold + 1, a.folds)}};
  of_fold = resumed(of_fold, events);
  std::unique_ptr<RowTask> of_checkpoint;
  if (!of_fold.resume_from_checkpoint.empty()) {
    of_checkpoint = make_task(a.model, model_of(of_fold), a.train, Classes::kOfRows);
  }
  const RowTask& task = of_checkpoint ? *of_checkpoint : fresh;
  const data::Dataset rows = training_rows(a, task);
  const data::Dataset held_out = without_weights(rows_of(rows, fold_of, fold, true));
  const data::Dataset batches = evaluation_batches(a.model, task, held_out, eval_batch_size(a), kLabels);
  const Split split{.train = rows_of(rows, fold_of, fold, false), .validation = {{"", held_out, batches}}};
  return train(of_fold, task, split, events).has_value();
}

}  // namespace

int cross_validate(const FitArguments& given) {
  FitArguments a = given;
  TrainingEvents events(a);
  const std::unique_ptr<Watchdog> watchdog = watch_for_hangs(a, events);
  check_validation_split(a);
  check_options(a);
  check_output(a);
  catch_signals();
  const OutputLock lock(a.output, events);
  lower_max_length(a.model, a.model.folder, events);
  a.inputs = watch_files(a);
  a.weight_column = weight_column_of(a);
  const std::unique_ptr<RowTask> task = make_task(a.model, a.model.folder, a.train, Classes::kOfRows);
  if (!task->predicts_rows()) {
    throw UsageError({.where = "folds",
                      .given = "--task " + a.model.task,
                      .expected = "a task whose predictions are of rows, one each"});
  }
  choose_shapes(a, *task, events);
  // Read before anything is trained, so that what is wrong with them is told now.
  if (!a.test.empty()) read_through(read_rows(a.model, a.test, *task, RowTask::Labels::kIgnored));
  const std::vector<int> fold_of =
      folds_of(a, *task, interruptible(read_rows(a.model, a.train, *task, kLabels)), events);
  if (a.overwrite_output) remove_earlier_folds(a.output);
  require_same_run(a, facts_of(a, *task, std::ssize(fold_of)));
  for (int64_t fold = 0; fold < a.folds; ++fold) {
    if (!train_fold(a, *task, fold, fold_of, events)) return kInterrupted;
  }
  events.notice("predicting the rows that each model has not seen");
  FoldPredictions predictions(a, fold_of, events);
  for (int64_t fold = 0; fold < a.folds; ++fold) predictions.add(fold);
  predictions.write(a.output / kOutOfFold, a.output / kTest);
  FoldOutcome outcome{.folds = predictions.scores(), .out_of_fold = predictions.scores_of_all(), .output = a.output};
  outcome.predictions.push_back(a.output / kOutOfFold);
  if (!a.test.empty()) outcome.predictions.push_back(a.output / kTest);
  print_result(a.talk.json ? json_of(outcome) : table_of(outcome));
  return kOk;
}

}  // namespace portatune::cli
