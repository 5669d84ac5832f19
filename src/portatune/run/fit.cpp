#include "portatune/run/fit.h"

#include <fmt/format.h>

#include <limits>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/threads/clock.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/run/callback_pair.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/data_survey.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/launch/in_turn.h"
#include "portatune/run/opening.h"
#include "portatune/run/options/run_options.h"
#include "portatune/run/options/strategies.h"
#include "portatune/run/options/training_options.h"
#include "portatune/run/output/disk_space.h"
#include "portatune/run/output/finished_run.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/run/output/output_lock.h"
#include "portatune/run/output/report_files.h"
#include "portatune/run/output/run_checkpoints.h"
#include "portatune/run/output/save_model.h"
#include "portatune/run/output/step_cost.h"
#include "portatune/run/records/run_records.h"
#include "portatune/runtime/processes/shared_directory.h"
#include "portatune/tasks/metrics/all_metrics.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/checkpoint/run_record.h"
#include "portatune/train/evaluation/best_model.h"
#include "portatune/train/finite.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

// Loading needs a batch; this one is as small as the mesh allows.
void load_weights(Trainer& trainer, const RunPlan& plan, const RowTask& task, const data::Dataset& rows) {
  const data::Dataset batches = tolerant(plan.model, task.batches(rows, plan.device.mesh.size(kBatchAxes)));
  if (const std::optional<data::Example> batch = batches.iterate().next()) trainer.load(*batch);
}

std::vector<EvaluationSet> evaluated_sets(std::span<const ValidationSet> validation, RowProgress& progress) {
  std::vector<EvaluationSet> sets;
  for (const ValidationSet& set : validation) {
    sets.push_back({.batches = progress.over(set.batches), .name = set.name});
  }
  return sets;
}

Scores evaluate_before(Trainer& trainer, std::span<const ValidationSet> validation, Events& events) {
  events.notice("measuring the validation rows before training");
  Scores scores = evaluate_all(trainer, validation, *events.progress(kEvaluating));
  events.scores_before(scores);
  trainer.set_initial_scores(scores);
  return scores;
}

// A resumed run has the scores from its start.
std::optional<Scores> scores_before(Trainer& trainer, const RunPlan& plan, std::span<const ValidationSet> validation,
                                    Events& events) {
  if (validation.empty()) return std::nullopt;
  if (trainer.steps() == 0 && !plan.eval_on_start) return std::nullopt;
  if (trainer.steps() == 0) return evaluate_before(trainer, validation, events);
  if (!trainer.initial_scores().empty()) return trainer.initial_scores();
  events.notice("the checkpoint has no scores from before training: there is no comparison with them");
  return std::nullopt;
}

// The model is saved: a stop request ends the measuring alone.
Scores evaluate_after(Trainer& trainer, std::span<const ValidationSet> validation, Events& events) {
  Scores scores;
  for (const ValidationSet& set : validation) {
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

void stop(const Trainer& trainer, const RunPlan& plan, int64_t kept, int64_t best_step, Events& events) {
  const std::filesystem::path checkpoint = save_stopped_run(trainer, plan, events);
  ProcessGroup* const processes = plan.device.processes.get();
  if (!is_first(processes)) return;
  const std::string fault = train::remove_old_checkpoints(plan.output, kept, best_step, {plan.checkpoint, checkpoint});
  if (!fault.empty()) events.warning(fault);
  events.stopped(trainer.steps(), checkpoint);
}

// Data that cannot be read or used end a run, which can be resumed when they can.
FitResult fit_reporting_checkpoint(Trainer& trainer, const data::Dataset& batches, const FitOptions& options,
                                   const RunPlan& plan, Events& events) {
  try {
    return trainer.fit(batches, options);
  } catch (const NumericError&) {  // names its checkpoint
    throw;
  } catch (const DeviceError&) {
    throw;
  } catch (const Error&) {
    if (is_first(plan.device.processes.get())) {
      const std::filesystem::path newest = train::newest_checkpoint(plan.output).path;
      if (!newest.empty()) events.resumable(newest, "the newest checkpoint is " + newest.string());
    }
    throw;
  }
}

// All processes must find the checkpoints of the first one in the output folder.
void require_same_start(const RunOptions& options, const std::filesystem::path& checkpoint) {
  const bool has_record = options.resume && train::find_run_record(options.output);
  const std::string start = (has_record ? "finished " : "") + checkpoint.string();
  if (!first_with_another(options.device.processes.get(), io::hash_of(start))) return;
  throw UsageError({.where = "output",
                    .given = "a folder with other checkpoints in one process than in another",
                    .expected = "one that all processes share"});
}

// A rewind and the best model need checkpoints that all processes can read. Writes a folder there before training, and
// removes it.
void require_shared_output(const RunOptions& options) {
  ProcessGroup* const processes = options.device.processes.get();
  const bool reads = options.training.on_non_finite == OnNonFinite::kRewind || options.best_model.load_at_end;
  if (processes == nullptr || !reads) return;
  SharedDirectory(train::checkpoint_path(options.output, 0), processes, processes->size());
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

// The records of this process, which checkpoints have too; only the first process writes them.
// before  scores of a run that starts, measured in `seconds`
std::unique_ptr<RunRecords> start_records(Trainer& trainer, const Opening& opening, const TrainingOptions& training,
                                          const std::optional<Scores>& before, double seconds, Events& events) {
  if (!is_first(opening.plan.device.processes.get())) return nullptr;
  auto records = std::make_unique<RunRecords>(opening, training, events);
  if (before && trainer.steps() == 0) records->add_evaluation(0, *before, seconds);
  trainer.set_checkpoint_files([&records = *records] { return records.checkpoint_files(); });
  return records;
}

std::optional<ChangedData> change_of(const RunPlan& plan) {
  const std::optional<io::FileChange> change = plan.inputs->first_change();
  return change ? std::optional(ChangedData{change->file, change->what}) : plan.task->changed_file();
}

void report_best_model(const FitResult& result, const FitOptions& options, Events& events) {
  const std::string score = train::deciding_score(options);
  if (!score.empty() && result.best_step == 0) {
    events.alert(fmt::format("{}, which decides about the best model, has no value in any evaluation{}", score,
                             options.best_model.load_at_end ? ": the model is that of the last step" : ""));
  }
  if (result.stopped_early) {
    const std::string best =
        result.best_step > 0 ? "the best evaluation is that of step " + grouped(result.best_step) : "none is the best";
    events.notice(fmt::format("stopped early after step {}; {}", grouped(result.steps), best));
  }
  if (result.model_step < result.steps) {
    events.notice(fmt::format("the model is that of step {}, the best one", grouped(result.model_step)));
  }
}

void report_skips(const RunPlan& plan, const FitResult& result, Events& events) {
  if (result.non_finite_steps == 0 || !is_first(plan.device.processes.get())) return;
  events.alert(fmt::format("{} of {} steps were skipped: their loss or gradient was not finite",
                           grouped(result.non_finite_steps), grouped(result.steps)));
}

void report_failed_checkpoints(const RunPlan& plan, const FitResult& result, Events& events) {
  if (result.failed_checkpoints.empty() || !is_first(plan.device.processes.get())) return;
  events.alert(fmt::format("{} could not be written: {}", counted(std::ssize(result.failed_checkpoints), "checkpoint"),
                           result.failed_checkpoints.back()));
}

// The scores of the saved model: those of its evaluation during training, or else of one that follows now.
std::optional<Scores> scores_after(Trainer& trainer, const FitResult& result, std::span<const ValidationSet> validation,
                                   RunRecords* records, Events& events) {
  if (!result.scores.empty()) return result.scores;
  if (validation.empty()) return std::nullopt;
  const Clock::time_point begin = Clock::now();
  Scores scores = evaluate_after(trainer, validation, events);
  if (records != nullptr) records->add_evaluation(result.steps, scores, seconds_since(begin));
  return scores;
}

void add_result(const FitResult& result, const Trainer& trainer, Outcome& outcome) {
  outcome.steps = result.steps;
  outcome.best_step = result.best_step;
  outcome.model_step = result.model_step;
  outcome.stopped_early = result.stopped_early;
  outcome.skipped_steps = result.skipped_steps;
  outcome.rewinds = result.rewinds;
  outcome.deviations = trainer.deviations();
  outcome.failed_checkpoints = result.failed_checkpoints;
  outcome.train_loss = result.mean_loss;
  outcome.compile_seconds = result.compile_s;
  outcome.checkpoint_seconds = result.checkpoint_s;
}

// Notes whether an observer asks for checkpoints.
class CheckpointRequests final : public Callback {
 public:
  // observer  null: there is none
  explicit CheckpointRequests(Callback* observer) : observer_(observer) {}

  StepRequests requests() override {
    has_any_ |= observer_ != nullptr && observer_->requests().save;
    return {};
  }
  bool has_any() const { return has_any_; }

 private:
  Callback* const observer_;
  bool has_any_ = false;
};

}  // namespace

Outcome outcome_of_finished(const std::filesystem::path& output, int64_t examples) {
  const train::RunRecord record = train::find_run_record(output).value_or(train::RunRecord());
  return {.train_examples = examples,
          .steps = record.steps,
          .stopped_early = record.stopped_early,
          .train_loss = std::numeric_limits<double>::quiet_NaN(),
          .deviations = record.deviations,
          .output = output};
}

void check_run(const RunOptions& options) {
  check_options_of_run(options);
  check_checkpoints(options);
  check_one_run(options);
  if (options.max_concurrent_runs > 1) {
    train::refuse_option("max_concurrent_runs", std::to_string(options.max_concurrent_runs) + " with one run",
                         "--folds or a sweep, whose runs can train at the same time");
  }
  if (!options.resume_from_checkpoint.empty()) require_checkpoint(options);
}

std::filesystem::path checkpoint_of(const RunOptions& a, Events& events) {
  train::recover_checkpoints(a.output);
  if (is_first(a.device.processes.get())) {
    report_rests(a.output, {}, events);
    report_rests(a.output / kAverageFolder, {}, events);
  }
  if (a.resume) return checkpoint_to_resume(a, events);
  if (!a.overwrite_output) {
    require_no_other_run(a.output, a.resume_from_checkpoint);
  } else if (!lies_in(a.resume_from_checkpoint, a.output)) {
    require_model_elsewhere(a.model.folder, a.output);
  }
  return a.resume_from_checkpoint;
}

OpenRun open_run(const RunPlan& plan, SurveyedRows& rows, DeviceOfRuns& device, Events& events) {
  const RowTask& task = *plan.task;
  if (is_first(plan.device.processes.get())) {
    remove_leftovers_of_records(plan.output);
    io::recover_directory(plan.output / kAverageFolder);
  }
  const int64_t examples = rows.survey_of_train(plan).examples;
  OpenRun run{.examples = examples,
              .batches = training_batches(task, rows.train(), plan, examples),
              .evaluation = events.progress(kEvaluating)};
  run.options = epochs_of(plan, examples, run.batches);
  const int64_t total_steps = train::total_steps(run.options);
  if (eval_strategy_of(plan) != EvalStrategy::kNo) {
    run.options.validation = evaluated_sets(rows.validation(), *run.evaluation);
  }
  run.options.eval_steps = plan.eval_steps.of(total_steps);
  run.options.eval_delay = plan.eval_delay;
  run.options.best_model = plan.best_model;
  run.options.checkpoints = checkpoints_of(plan, total_steps);
  train::check(run.options, plan.training);
  run.training = training_options(plan, task, examples);
  run.training.total_steps = total_steps;
  if (is_finished(plan, run.training, events)) return run;
  run.trainer.emplace(device.open(), task, run.training);
  resume(*run.trainer, plan, run.training, events);
  rows.survey_of_validation(plan);
  load_weights(*run.trainer, plan, task, rows.train());
  return run;
}

std::optional<Outcome> train_open_run(OpenRun& run, const RunPlan& plan, SurveyedRows& rows,
                                      DeviceOfRuns& shared_device, const StopToken& stop_token, Events& events,
                                      Callback* limit) {
  Trainer& trainer = *run.trainer;
  const Device& device = shared_device.open();
  const DataSurvey& train_data = rows.survey_of_train(plan);
  const std::vector<std::optional<DataSurvey>>& validation_data = rows.survey_of_validation(plan);
  FitOptions options = run.options;
  require_disk_space(plan.output, saves_of(plan, trainer.steps(), options));
  const Opening opening{plan, *plan.task, device, trainer, run.options, train_data, validation_data};
  events.opening(opening);
  report_shuffling(plan, rows.train(), run.examples, events);

  Outcome outcome{.train_examples = run.examples, .output = plan.output};
  const Clock::time_point evaluation_start = Clock::now();
  outcome.before = scores_before(trainer, plan, rows.validation(), events);
  const double evaluation_s = seconds_since(evaluation_start);

  std::unique_ptr<TrainingObserver> observer = events.training(options, *run.evaluation);
  if (outcome.before || tasks::knows_all_scores(*plan.task)) {
    train::require_deciding_score(options, outcome.before.value_or(Scores()),
                                  train::known_scores(options, *plan.task, run.training.ema > 0));
  }
  options.changed_data = [&plan] { return change_of(plan); };
  options.use_changed_data = plan.use_changed_data;
  remove_replaced_run(plan);
  const std::unique_ptr<RunRecords> records =
      start_records(trainer, opening, run.training, outcome.before, evaluation_s, events);
  if (limit != nullptr && options.validation.empty()) {
    options.validation = evaluated_sets(rows.validation(), *run.evaluation);
    options.eval_on_request_only = true;
  }
  if (records) records->observe(options.validation);
  Callback unrecorded;
  CheckpointRequests requests(limit);
  CallbackPair own(records ? *records : unrecorded, *observer);
  CallbackPair observers(requests, own);
  CallbackPair callbacks(observers, limit != nullptr ? *limit : unrecorded);
  options.callback = &callbacks;
  options.stop = stop_token;
  const Clock::time_point start = Clock::now();
  const FitResult result = fit_reporting_checkpoint(trainer, run.batches.prefetch(2), options, plan, events);
  run.evaluation->finish();
  const int64_t skipped_at_end = observer->skipped_at_end();
  observer.reset();
  report_skips(plan, result, events);
  report_failed_checkpoints(plan, result, events);
  if (result.stopped) {
    stop(trainer, plan, options.checkpoints.keep, result.best_step, events);
    return std::nullopt;
  }

  report_best_model(result, options, events);
  require_updates(skipped_at_end, result.steps);
  save_average(trainer, plan, events);  // before the model, which marks the run as finished
  save_model(trainer, result.model_step, plan, events);
  remove_surplus_checkpoints(plan, result.best_step, requests.has_any(), events);
  add_result(result, trainer, outcome);
  outcome.seconds = seconds_since(start) - result.compile_s;
  outcome.after = scores_after(trainer, result, rows.validation(), records.get(), events);
  outcome.skipped_rows = skipped_rows(plan.model.bad_rows);
  if (records) records->finish(outcome);
  write_report({.plan = plan,
                .train = train_data,
                .validation = rows.validation(),
                .surveys = validation_data,
                .saved_step = outcome.model_step,
                .step_cost = [&] { return step_cost(plan, rows.train(), device); }},
               events);
  return outcome;
}

std::optional<Outcome> train_model(const RunPlan& plan, SurveyedRows& rows, DeviceOfRuns& device, Events& events,
                                   Callback* limit) {
  OpenRun run = open_run(plan, rows, device, events);
  if (!run.trainer) return outcome_of_finished(plan.output, run.examples);
  return train_open_run(run, plan, rows, device, plan.stop, events, limit);
}

std::optional<Outcome> fit(const RunOptions& options, Events& events, Callback* callback) {
  check_run(options);
  ProcessGroup* const processes = options.device.processes.get();
  // The processes of a group stop together, in Trainer::fit().
  const StopScope scope(processes == nullptr ? options.stop : StopToken());
  std::optional<OutputLock> lock;
  std::filesystem::path checkpoint;
  in_turn(processes, [&] {
    if (is_first(processes)) {
      const bool starts_from_model = options.resume_from_checkpoint.empty();
      check_output_folder(options.output, starts_from_model ? options.model.folder : options.resume_from_checkpoint);
      lock.emplace(options.output, events);
    }
    checkpoint = checkpoint_of(options, events);
  });
  require_same_start(options, checkpoint);
  require_shared_output(options);
  const RunPlan plan = plan_run(options, checkpoint, events);
  SurveyedRows rows(split_of(plan, *plan.task, events));
  DeviceOfRuns device(plan.device, events);
  return train_model(plan, rows, device, events, callback);
}

}  // namespace portatune::run
