// portatune fit: looks at everything that can be wrong, trains, measures before and after, saves.
#include "portatune/cli/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "portatune/base/message.h"
#include "portatune/base/stop.h"
#include "portatune/cli/bad_rows.h"
#include "portatune/cli/batch_shapes.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/disk_space.h"
#include "portatune/cli/example_weights.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/finished_run.h"
#include "portatune/cli/hang.h"
#include "portatune/cli/make_task.h"
#include "portatune/cli/model_length.h"
#include "portatune/cli/model_settings.h"
#include "portatune/cli/opening_report.h"
#include "portatune/cli/output_folder.h"
#include "portatune/cli/output_lock.h"
#include "portatune/cli/packing.h"
#include "portatune/cli/processes.h"
#include "portatune/cli/progress_bar.h"
#include "portatune/cli/report.h"
#include "portatune/cli/rows.h"
#include "portatune/cli/run_checkpoints.h"
#include "portatune/cli/save_model.h"
#include "portatune/cli/signals.h"
#include "portatune/cli/terminal_events.h"
#include "portatune/cli/training_files.h"
#include "portatune/cli/validation.h"
#include "portatune/cli/validation_split.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/processes/shared_directory.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/checkpoint/run_record.h"
#include "portatune/train/checkpoint/save_folder.h"
#include "portatune/train/finite.h"
#include "portatune/train/options.h"

namespace portatune::cli {
namespace {

constexpr auto kLabels = RowTask::Labels::kRequired;
constexpr const char* kEvaluating = "evaluating";

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Steps of the first epoch. With a token budget others may have one more or less, as their texts fit together
// otherwise.
int64_t steps_of_pass(const FitArguments& a, int64_t examples, const data::Dataset& batches) {
  if (a.packed && a.packed->packing == data::Packing::kTokenBudget) return count(batches);
  return steps_for(a, examples);
}

// The weights come with a first batch, which is as small as the mesh allows.
void load_weights(Trainer& trainer, const FitArguments& a, const RowTask& task, const data::Dataset& rows) {
  const data::Dataset batches = tolerant(a.model, task.batches(rows, a.device.mesh.size(kBatchAxes)));
  if (const std::optional<data::Example> batch = batches.iterate().next()) trainer.load(*batch);
}

Scores evaluate_before(Trainer& trainer, std::span<const ValidationSet> validation, run::Events& events) {
  events.notice("measuring the validation rows before training");
  Scores scores = evaluate_all(trainer, validation, *events.progress(kEvaluating));
  events.scores_before(scores);
  trainer.set_initial_scores(scores);
  return scores;
}

// A run that is resumed has the scores of its start.
std::optional<Scores> scores_before(Trainer& trainer, const FitArguments& a, std::span<const ValidationSet> validation,
                                    run::Events& events) {
  if (validation.empty()) return std::nullopt;
  if (trainer.steps() == 0 && !a.eval_on_start) return std::nullopt;
  if (trainer.steps() == 0) return evaluate_before(trainer, validation, events);
  if (!trainer.initial_scores().empty()) return trainer.initial_scores();
  events.notice("the checkpoint has no scores from before training: there is no comparison with them");
  return std::nullopt;
}

// The Trainer has measured the first set. The model is saved: a stop request ends the measuring of the others alone.
Scores scores_after(Trainer& trainer, const FitResult& result, std::span<const ValidationSet> validation,
                    run::Events& events) {
  Scores scores = with_name(validation.front().name, result.scores);
  for (const ValidationSet& set : validation.subspan(1)) {
    try {
      const Scores others = evaluate_all(trainer, {&set, 1}, *events.progress(kEvaluating));
      scores.insert(scores.end(), others.begin(), others.end());
    } catch (const Stopped&) {
      events.unmeasured(set.name);
      break;
    }
  }
  return scores;
}

void stop(const Trainer& trainer, const FitArguments& a, run::Events& events) {
  const std::filesystem::path checkpoint = save_stopped_run(trainer, a, events);
  ProcessGroup* const processes = a.device.processes.get();
  if (!is_first(processes)) return;
  const std::string fault =
      train::remove_old_checkpoints(a.output, checkpoints_of(a).keep, {a.resume_from_checkpoint, checkpoint});
  if (!fault.empty()) events.warning(fault);
  events.stopped(trainer.steps(), checkpoint);
}

// Data that cannot be read end a run, which can be resumed when they can.
FitResult fit_reporting_checkpoint(Trainer& trainer, const data::Dataset& batches, const FitOptions& options,
                                   const FitArguments& a, run::Events& events) {
  try {
    return trainer.fit(batches, options);
  } catch (const IoError&) {
    if (is_first(a.device.processes.get())) {
      const std::filesystem::path newest = train::newest_checkpoint(a.output).path;
      if (!newest.empty()) events.resumable(newest, "the newest checkpoint is " + newest.string());
    }
    throw;
  }
}

// The others find the first one's checkpoints in the output folder, which is to be that of all.
void require_same_start(const FitArguments& a) {
  const bool has_record = a.resume && train::find_run_record(a.output);
  const std::string start = (has_record ? "finished " : "") + a.resume_from_checkpoint.string();
  if (!first_with_another(a.device.processes.get(), io::hash_of(start))) return;
  throw UsageError({.where = "output",
                    .given = "a folder with other checkpoints in one process than in another",
                    .expected = "one that all processes share"});
}

// All go back to checkpoints there: found out before hours of training, by a folder that is removed again.
void require_shared_output(const FitArguments& a) {
  ProcessGroup* const processes = a.device.processes.get();
  if (processes == nullptr || a.training.on_non_finite != OnNonFinite::kRewind) return;
  SharedDirectory(train::checkpoint_path(a.output, 0), processes, processes->size());
}

// Weights without an update in the second half of the run are of no use.
void require_updates(int64_t skipped, int64_t steps) {
  if (2 * skipped <= steps) return;
  const bool is_all = skipped == steps;
  throw NumericError(
      {.where = "the end of training",
       .given = is_all ? fmt::format("{} steps, all skipped: no step updated the weights", grouped(steps))
                       : fmt::format("{} steps, the last {} skipped: no step after step {} updated the weights",
                                     grouped(steps), grouped(skipped), grouped(steps - skipped)),
       .expected = "steps with a finite loss and gradient; no model is saved",
       .fix = std::string("look at the rows that are skipped, or ") + train::kAdviceOnTraining});
}

std::optional<ChangedData> change_of(const FitArguments& a) {
  const std::optional<io::FileChange> change = a.inputs->first_change();
  return change ? std::optional(ChangedData{change->file, change->what}) : std::nullopt;
}

void report_skips(const FitArguments& a, const FitResult& result, run::Events& events) {
  if (result.non_finite_steps == 0 || !is_first(a.device.processes.get())) return;
  events.alert(fmt::format("{} of {} steps were skipped: their loss or gradient was not finite",
                           grouped(result.non_finite_steps), grouped(result.steps)));
}

void report_failed_checkpoints(const FitArguments& a, const FitResult& result, run::Events& events) {
  if (result.failed_checkpoints.empty() || !is_first(a.device.processes.get())) return;
  events.alert(fmt::format("{} could not be written: {}", counted(std::ssize(result.failed_checkpoints), "checkpoint"),
                           result.failed_checkpoints.back()));
}

Outcome outcome_of_finished(const FitArguments& a, const TrainingOptions& training, int64_t examples) {
  return {.train_examples = examples,
          .steps = training.total_steps,
          .train_loss = std::numeric_limits<double>::quiet_NaN(),
          .deviations = train::find_run_record(a.output)->deviations,
          .output = a.output};
}

void print_outcome(const Outcome& outcome, const Talk& talk) {
  if (talk.json) return print_result(json_of(outcome));
  print_summary(table_of(outcome));
}

// Rows of files elsewhere are read one after the other: to fetch each by itself would be slow. Where bad rows may be
// passed over, their places are known only when the rows before them have been read.
bool may_permute(const FitArguments& a) { return !a.model.bad_rows && std::ranges::none_of(a.train, io::is_remote); }

// Sorted rows would be learnt class after class.
void report_shuffling(const FitArguments& a, const data::Dataset& rows, int64_t examples, run::Events& events) {
  if (examples <= a.shuffle_buffer || (may_permute(a) && rows.has_random_access())) return;
  events.notice(
      fmt::format("each row is drawn from {} that follow each other (--shuffle-buffer): sorted rows should be "
                  "mixed before",
                  grouped(a.shuffle_buffer)));
}

}  // namespace

Split split_of(const FitArguments& a, const RowTask& task, run::Events& events) {
  const data::Dataset rows = training_rows(a, task);
  if (a.validation_split == 0) {
    return {.train = rows, .validation = validation_sets(a.model, a.validation, task, eval_batch_size(a))};
  }
  std::vector<bool> places = held_out_rows(a, task, rows, events);
  const data::Dataset held_out = without_weights(rows.select(places));
  places.flip();
  return {.train = rows.select(places),
          .validation = {{"", held_out, evaluation_batches(a.model, task, held_out, eval_batch_size(a), kLabels)}}};
}

data::Dataset training_batches(const RowTask& task, const data::Dataset& rows, const FitArguments& a,
                               int64_t examples) {
  const data::ShuffleOptions order{.buffer = std::clamp<int64_t>(examples, 1, a.shuffle_buffer),
                                   .seed = a.training.seed,
                                   .prefer_permutation = may_permute(a)};
  const data::Dataset batches =
      a.packed ? task.packed_batches(rows, *a.packed, order) : task.training_batches(rows, rows_of_step(a), order);
  return tolerant(a.model, batches);
}

FitOptions epochs_of(const FitArguments& a, int64_t examples, const data::Dataset& batches) {
  if (a.max_steps > 0) return {.num_train_epochs = 1, .steps_per_epoch = a.max_steps};
  return {.num_train_epochs = a.epochs,
          .steps_per_epoch = a.steps_per_epoch > 0 ? a.steps_per_epoch : steps_of_pass(a, examples, batches)};
}

void check_one_run(const FitArguments& a) {
  if (!a.group_column.empty() || !a.test.empty()) {
    throw UsageError({.where = a.test.empty() ? "group_column" : "test",
                      .given = "no --folds",
                      .expected = "--folds N, as it is for cross-validation alone"});
  }
  check_validation_split(a);
  if (a.model.masked_lm.next_sentence && parts_of_step(a) > 1) {
    throw UsageError(
        {.where = "next_sentence",
         .given = fmt::format("a batch in parts: --mesh {}, --gradient-accumulation-steps {}", to_string(a.device.mesh),
                              a.training.gradient_accumulation_steps),
         .expected = "a batch as a whole, as the loss is a sum of two means, which parts do not add up to"});
  }
}

void check_new_run(const FitArguments& a) {
  const auto refuse = [](const char* option, std::string given, const char* expected) {
    throw UsageError({.where = option, .given = std::move(given), .expected = expected});
  };
  if (a.folds > 0) refuse("folds", std::to_string(a.folds), "no cross-validation, as this is about one training run");
  check_one_run(a);
  if (a.resume || !a.resume_from_checkpoint.empty()) {
    refuse(a.resume ? "resume" : "resume_from_checkpoint", "a run that goes on", "the options of a new run");
  }
}

int64_t steps_for(const FitArguments& a, int64_t examples) {
  return (examples + rows_of_step(a) - 1) / rows_of_step(a);
}

int64_t parts_of_step(const FitArguments& a) {
  return a.training.gradient_accumulation_steps * a.device.mesh.size(kBatchAxes);
}

int64_t rows_of_step(const FitArguments& a) { return a.batch_size * parts_of_step(a); }

int64_t eval_batch_size(const FitArguments& a) {
  return (a.eval_batch_size > 0 ? a.eval_batch_size : a.batch_size) * a.device.mesh.size(kBatchAxes);
}

namespace {

// The last part of the path; of a snapshot in the Hugging Face cache (models--ORG--NAME/snapshots/HASH) the model's
// name. So the folder may move, and the model be called by its name, when the run is resumed.
std::string name_of_model(const std::filesystem::path& folder) {
  std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  if (path.parent_path().filename() == "snapshots") path = path.parent_path().parent_path();
  const std::string name = path.filename().string();
  return name.starts_with("models--") ? name.substr(name.rfind("--") + 2) : name;
}

}  // namespace

TrainingOptions training_options(const FitArguments& a, const RowTask& task, int64_t examples) {
  TrainingOptions options = a.training;
  options.must_match.merge(task.settings());
  options.must_match.merge(facts_of_training_files(a.train, examples, a.inputs.get()));
  if (a.use_changed_data) options.may_differ = facts_of_data(a.train);
  options.must_match.insert({{"task", a.model.task}, {"batch_size", std::to_string(a.batch_size)}});
  if (!a.model.folder.empty()) options.must_match[train::kModelFact] = name_of_model(a.model.folder);
  if (a.shuffle_buffer != FitArguments{}.shuffle_buffer)
    options.must_match["shuffle_buffer"] = std::to_string(a.shuffle_buffer);
  const data::TableOptions& table = a.model.table;
  if (!a.weight_column.value_or("").empty()) options.must_match["weight_column"] = *a.weight_column;
  if (!table.names.empty()) options.must_match["column_names"] = fmt::format("{}", fmt::join(table.names, ","));
  if (table.delimiter) options.must_match["delimiter"] = std::string(1, *table.delimiter);
  if (a.model.bad_rows) options.must_match["bad_rows"] = fmt::format("skip:{}", a.model.bad_rows->limit());
  for (const auto& [name, given] : table.rename) options.must_match["rename_columns " + name] = given;
  if (!a.packed && !a.model.lengths.empty())
    options.must_match["padding"] = fmt::format("{}", fmt::join(a.model.lengths, ","));
  if (a.validation_split > 0) options.must_match["validation_split"] = to_text(a.validation_split);
  options.model_files[train::kSettingsFile] = settings_text(a);
  if (a.packed) {
    options.must_match["packing"] =
        fmt::format("{} in {} rows", name_of(a.packed->packing), fmt::join(a.packed->rows, " or "));
  }
  return options;
}

FitArguments resumed(FitArguments a, run::Events& events) {
  train::recover_checkpoints(a.output);
  if (a.resume) {
    a.resume_from_checkpoint = checkpoint_to_resume(a.output, events);
  } else if (!a.overwrite_output) {
    require_no_other_run(a.output, a.resume_from_checkpoint);
  } else if (lies_in(a.model.folder, a.output) && !lies_in(a.resume_from_checkpoint, a.output)) {
    throw UsageError({.where = "overwrite_output",
                      .given = "--model " + a.model.folder.string() + ", which would be removed",
                      .expected = "a model outside of --output"});
  }
  return a;
}

const std::filesystem::path& model_of(const FitArguments& a) {
  return a.resume_from_checkpoint.empty() ? a.model.folder : a.resume_from_checkpoint;
}

std::optional<Outcome> train(const FitArguments& a, const RowTask& task, const Split& rows, run::Events& events) {
  const DataSurvey train_data = survey(a.model, task, rows.train);
  const int64_t examples = train_data.examples;
  const data::Dataset batches = training_batches(task, rows.train, a, examples);
  FitOptions options = epochs_of(a, examples, batches);
  options.checkpoints = checkpoints_of(a);
  train::check(options, a.training.on_non_finite);
  TrainingOptions training = training_options(a, task, examples);
  training.total_steps = options.num_train_epochs * options.steps_per_epoch;
  if (is_finished(a, training, events)) return outcome_of_finished(a, training, examples);
  const Device device(run::with_warnings(a.device, events));
  Trainer trainer(device, task, training);
  resume(trainer, a, training, events);
  const std::vector<std::optional<DataSurvey>> validation_data = survey_validation(a, task, rows.validation);
  load_weights(trainer, a, task, rows.train);
  require_disk_space(a.output, saves_of(a, trainer.steps(), training.total_steps));
  say_opening({a, task, device, trainer, options, train_data, validation_data});
  report_shuffling(a, rows.train, examples, events);

  Outcome outcome{.train_examples = examples, .output = a.output};
  outcome.before = scores_before(trainer, a, rows.validation, events);

  const std::unique_ptr<run::RowProgress> evaluation = events.progress(kEvaluating);
  std::unique_ptr<run::TrainingObserver> observer = events.training(options.num_train_epochs, *evaluation);
  // Of several sets each epoch measures the first; the others are measured in the end.
  if (!rows.validation.empty()) options.validation = evaluation->over(rows.validation.front().batches);
  options.callback = observer.get();
  options.changed_data = [&a] { return change_of(a); };
  options.use_changed_data = a.use_changed_data;
  remove_replaced_run(a);
  const double start_s = now_s();
  const FitResult result = fit_reporting_checkpoint(trainer, batches.prefetch(2), options, a, events);
  evaluation->finish();
  const int64_t skipped_at_end = observer->skipped_at_end();
  observer.reset();
  report_skips(a, result, events);
  report_failed_checkpoints(a, result, events);
  if (result.stopped) {
    stop(trainer, a, events);
    return std::nullopt;
  }

  require_updates(skipped_at_end, result.steps);
  save_model(trainer, a, events);
  remove_surplus_checkpoints(a, events);
  outcome.steps = result.steps;
  outcome.skipped_steps = result.skipped_steps;
  outcome.rewinds = result.rewinds;
  outcome.deviations = trainer.deviations();
  outcome.failed_checkpoints = result.failed_checkpoints;
  outcome.train_loss = result.mean_loss;
  outcome.compile_seconds = result.compile_s;
  outcome.checkpoint_seconds = result.checkpoint_s;
  outcome.seconds = now_s() - start_s - result.compile_s;
  if (!rows.validation.empty()) outcome.after = scores_after(trainer, result, rows.validation, events);
  outcome.skipped_rows = skipped_rows(a.model.bad_rows);
  return outcome;
}

int fit(const FitArguments& given) {
  train::check(FitOptions{.checkpoints = checkpoints_of(given)}, given.training.on_non_finite);
  if (given.folds > 0) {
    require_one_process("folds");
    return cross_validate(given);
  }
  FitArguments a = of_process(given);
  TrainingEvents events(a);
  require_same_options(a);
  check_one_run(a);
  const std::unique_ptr<Watchdog> watchdog = watch_for_hangs(a, events);
  if (!a.resume_from_checkpoint.empty()) require_checkpoint(a.resume_from_checkpoint, a.output);
  ProcessGroup* const processes = a.device.processes.get();
  // Of several processes none may stop by itself while it waits for data: training asks all for signals.
  catch_signals(processes == nullptr ? OnSignal::kRequestStop : OnSignal::kNote);
  std::optional<OutputLock> lock;
  in_turn(processes, [&] {
    if (is_first(processes)) {
      check_output_folder(a.output, model_of(a));
      lock.emplace(a.output, events);
    }
    a = resumed(std::move(a), events);
  });
  require_same_start(a);
  require_shared_output(a);
  lower_max_length(a.model, model_of(a), events);
  a.inputs = watch_files(a);
  a.weight_column = weight_column_of(a);
  const std::unique_ptr<RowTask> task = make_task(a.model, model_of(a), a.train, Classes::kOfRows);
  task->set_batch_share(batch_share(a.device.mesh, processes));
  choose_shapes(a, *task, events);
  const std::optional<Outcome> outcome = train(a, *task, split_of(a, *task, events), events);
  if (!outcome) return kInterrupted;
  if (is_first(processes)) print_outcome(*outcome, a.talk);
  return kOk;
}

}  // namespace portatune::cli
