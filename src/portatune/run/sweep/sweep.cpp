#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <ranges>
#include <set>
#include <utility>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/run.h"
#include "portatune/run/callback_pair.h"
#include "portatune/run/fit.h"
#include "portatune/run/launch/events_at_once.h"
#include "portatune/run/launch/events_of_run.h"
#include "portatune/run/launch/runs_at_once.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/run/output/output_lock.h"
#include "portatune/run/sweep/ranking.h"
#include "portatune/run/sweep/rows_of_trials.h"
#include "portatune/run/sweep/standings.h"
#include "portatune/run/sweep/stop_after_part.h"
#include "portatune/run/sweep/sweep_files.h"
#include "portatune/run/sweep/sweep_options.h"
#include "portatune/run/sweep/sweep_state.h"
#include "portatune/run/sweep/trial_score.h"
#include "portatune/runtime/pjrt/call_error.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

std::set<std::string> trial_names_of(const std::vector<Configuration>& configurations) {
  std::set<std::string> names;
  for (const Configuration& configuration : configurations) {
    for (const size_t index : configuration.trials) names.insert(trial_name(index));
  }
  return names;
}

class Sweep {
 public:
  // rungs     those of all_rungs()
  // callback  further observer of the trainings; null: none
  Sweep(const SweepOptions& options, std::vector<Rung> rungs, RowsOfTrials& rows, EventsAtOnce& events,
        Callback* callback)
      : options_(options),
        rungs_(std::move(rungs)),
        rows_(rows),
        events_(events),
        callback_(callback),
        score_(deciding_score_of(options.trials.front().options)),
        state_(options.output, facts_of(options, score_), options.trials),
        standings_(options, rungs_, state_, score_, loss_of(options.trials.front().options)),
        runs_(options.trials.front().options, callback, events) {}

  // Trains all trials. Returns false if the sweep was stopped on request.
  bool train() {
    std::vector<Configuration> left = configurations_of(options_.trials);
    for (size_t rung = 0; rung < rungs_.size(); ++rung) {
      const auto train = [&](size_t trial, const RunsAtOnce::Context& context) {
        return train_until(trial, rung, context);
      };
      if (!runs_.train(trials_of(left, rung), train) || !train_again_alone(train)) return false;
      if (rung + 1 == rungs_.size()) break;
      left = standings_.survivors(left, rung, events_);
      remove_weights_but(trial_names_of(left));
    }
    return true;
  }

  SweepOutcome finish() {
    SweepOutcome outcome = standings_.outcome();
    if (!outcome.best.empty() && state_.best().empty()) {
      copy_best_model(options_.output, outcome.best);
      state_.set_best(outcome.best);
    }
    remove_weights_but({outcome.best});
    write_table(options_.output, options_.trials, state_);
    write_page(outcome, options_.trials.size(), events_);
    return outcome;
  }

 private:
  // The trials of a rung that have not reached its end.
  std::vector<size_t> trials_of(const std::vector<Configuration>& configurations, size_t rung) const {
    std::vector<size_t> trials;
    for (const Configuration& configuration : configurations) {
      for (const size_t index : configuration.trials | std::views::take(rungs_[rung].seeds)) {
        const TrialState& state = state_.trial(index);
        if (state.error.empty() && !state.rungs.contains(rung)) trials.push_back(index);
      }
    }
    return trials;
  }

  // Trains a trial to the end of a rung. Returns false if the sweep was stopped on request. Thread-safe.
  bool train_until(size_t index, size_t rung, const RunsAtOnce::Context& context) {
    const double end = rungs_[rung].end;
    events_.notice(fmt::format("trial {} of {}: {}", index + 1, options_.trials.size(), describe(trial(index))));
    try {
      if (!is_reached(index, end) && !run(index, end, context)) return false;
      const std::lock_guard lock(mutex_);
      record(index, rung);
      remove_surplus_weights();
    } catch (const NumericError& error) {
      const std::lock_guard lock(mutex_);
      fail(index, one_line(error.report()));
    } catch (const pjrt::CallError& error) {
      if (error.kind() != pjrt::CallError::Kind::kOutOfMemory) throw;
      run_out_of_memory(index, one_line(error.report()), context.is_alone);
    } catch (const std::bad_alloc&) {
      run_out_of_memory(index, "out of memory", context.is_alone);
    }
    return true;
  }

  // Beside other trials, the shortage may be theirs.
  void run_out_of_memory(size_t index, const std::string& error, bool is_alone) {
    const std::lock_guard lock(mutex_);
    if (is_alone) return fail(index, error);
    events_.notice(fmt::format("trial {} ran out of memory beside others, and trains again alone", index + 1));
    short_of_memory_.push_back(index);
  }

  bool train_again_alone(const RunsAtOnce::Train& train) {
    const std::vector<size_t> trials = std::exchange(short_of_memory_, {});
    if (!trials.empty()) runs_.train_alone_from_now_on();
    return runs_.train(trials, train);
  }

  // Whether a checkpoint of the trial lies at the end of the rung or behind it.
  bool is_reached(size_t index, double end) const {
    const fs::path folder = folder_of(index);
    if (end > 1 || !fs::is_directory(folder)) return false;
    train::recover_checkpoints(folder);
    const fs::path newest = train::newest_checkpoint(folder, trial(index).options.model.valid_checkpoint.get()).path;
    const std::vector<LoggedEvaluation> evaluations = logged_evaluations(folder);
    return std::ranges::any_of(train::checkpoints_in(folder), [&](const train::SavedCheckpoint& checkpoint) {
      return checkpoint.path == newest && std::ranges::any_of(evaluations, [&](const LoggedEvaluation& evaluation) {
               return reaches(part_of_run(trial(index).options, evaluation.step, evaluation.epoch), end) &&
                      evaluation.step <= checkpoint.step;
             });
    });
  }

  // Returns false if the sweep was stopped on request.
  bool run(size_t index, double end, const RunsAtOnce::Context& context) {
    EventsOfRun events(events_, context, fmt::format("trial {}", index + 1), is_first_.exchange(false));
    RunOptions options = trial(index).options;
    options.stop = context.stop;
    options.output = folder_of(index);
    options.overwrite_output = false;
    io::recover_directory(options.output);
    options.resume = fs::exists(options.output);
    const fs::path checkpoint = checkpoint_of(options, events);
    SharedRows& shared = rows_.of(index);
    const RunPlan plan = shared.plan_of(std::move(options), checkpoint, events);
    events_.run_begins({.number = static_cast<int64_t>(index) + 1,
                        .output = plan.output,
                        .settings = settings_with_seed(trial(index))});
    StopAfterPart limit(plan, end);
    Callback none;
    CallbackPair callbacks(limit, callback_ != nullptr ? *callback_ : none);
    if (train_model(plan, shared.rows(), context.device, events, &callbacks) || limit.is_reached()) return true;
    events.report_stop();
    return false;
  }

  void record(size_t index, size_t rung) {
    const auto found = deciding_evaluation(logged_evaluations(folder_of(index)), score_);
    if (!found || !value_of(found->scores, score_)) return fail(index, "no finite " + score_.name + " in its log");
    events_.notice(fmt::format("trial {} of {}: {} {:.4f} after step {}", index + 1, options_.trials.size(),
                               score_.name, *value_of(found->scores, score_), found->step));
    state_.add(index, rung, {.step = found->step, .scores = found->scores});
  }

  void fail(size_t index, const std::string& error) {
    events_.warning(fmt::format("trial {} of {} failed: {}", index + 1, options_.trials.size(), error));
    state_.fail(index, error);
  }

  // Keeps the models that may yet be the best, and those of trials that have not ended.
  void remove_surplus_weights() const {
    std::vector<Configuration> ended;
    std::set<std::string> kept;
    for (const Configuration& configuration : configurations_of(options_.trials)) {
      const auto has_not_ended = [this](size_t index) { return !standings_.has_ended(index); };
      if (std::ranges::none_of(configuration.trials, has_not_ended)) {
        ended.push_back(configuration);
        continue;
      }
      kept.insert(standings_.best_trial(configuration));
      for (const size_t index : configuration.trials | std::views::filter(has_not_ended)) {
        kept.insert(trial_name(index));
      }
    }
    if (!ended.empty()) kept.insert(standings_.best_trial(standings_.ranked(ended).front()));
    remove_weights_but(kept);
  }

  void remove_weights_but(const std::set<std::string>& kept) const {
    for (size_t i = 0; i < options_.trials.size() && !options_.keep_models; ++i) {
      if (!kept.contains(trial_name(i))) remove_weights(folder_of(i));
    }
  }

  const Trial& trial(size_t index) const { return options_.trials[index]; }
  fs::path folder_of(size_t index) const { return options_.output / trial_name(index); }

  const SweepOptions& options_;
  const std::vector<Rung> rungs_;
  RowsOfTrials& rows_;
  EventsAtOnce& events_;
  Callback* const callback_;
  const DecidingScore score_;
  std::mutex mutex_;  // guards the members below, and the weights of ended trials, while trials train
  SweepState state_;
  const Standings standings_;
  std::vector<size_t> short_of_memory_;  // trials beside others
  RunsAtOnce runs_;
  std::atomic<bool> is_first_ = true;
};

}  // namespace

std::string trial_name(size_t trial) { return fmt::format("trial-{:03}", trial + 1); }

std::optional<SweepOutcome> sweep(const SweepOptions& options, Events& events, Callback* callback) {
  check_sweep(options);
  const StopScope scope(options.trials.front().options.stop);
  std::vector<Rung> rungs = all_rungs(options);
  check_folder_of_runs(options.output, kSweepFile, options.resume, options.overwrite_output);
  if (options.overwrite_output) require_model_elsewhere(options.trials.front().options.model.folder, options.output);
  const OutputLock lock(options.output, events);
  EventsAtOnce shared_events(events);
  RowsOfTrials rows(options.trials, shared_events);
  if (options.overwrite_output) {
    rows.of(0);  // Faults in the rows end the sweep before the earlier one is removed.
    remove_earlier_sweep(options.output);
  }
  Sweep sweep(options, std::move(rungs), rows, shared_events, callback);
  if (sweep.train()) return sweep.finish();
  shared_events.report_stop();
  return std::nullopt;
}

}  // namespace portatune::run
