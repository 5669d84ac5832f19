#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <ranges>
#include <set>
#include <utility>

#include "portatune/base/text/plain_text.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/base/threads/stop.h"
#include "portatune/error.h"
#include "portatune/io/file/atomic_directory.h"
#include "portatune/run.h"
#include "portatune/run/callback_pair.h"
#include "portatune/run/fit.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/inputs/task/model_length.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/launch/events_at_once.h"
#include "portatune/run/launch/events_of_run.h"
#include "portatune/run/launch/runs_at_once.h"
#include "portatune/run/options/model_name.h"
#include "portatune/run/options/run_options.h"
#include "portatune/run/options/strategies.h"
#include "portatune/run/output/output_folder.h"
#include "portatune/run/output/output_lock.h"
#include "portatune/run/output/run_checkpoints.h"
#include "portatune/run/score_of_task.h"
#include "portatune/run/sweep/ranking.h"
#include "portatune/run/sweep/rows_of_trials.h"
#include "portatune/run/sweep/stop_after_part.h"
#include "portatune/run/sweep/sweep_files.h"
#include "portatune/run/sweep/sweep_state.h"
#include "portatune/run/sweep/trial_score.h"
#include "portatune/runtime/pjrt/call_error.h"
#include "portatune/train/checkpoint/checkpoint_folder.h"
#include "portatune/train/evaluation/best_model.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

std::vector<TrialSetting> settings_with_seed(const Trial& trial) {
  std::vector<TrialSetting> settings = trial.settings;
  settings.emplace_back("seed", std::to_string(trial.options.training.seed));
  return settings;
}

// "learning-rate 3e-5, seed 43"
std::string describe(const Trial& trial) {
  std::string text;
  for (const auto& [name, value] : settings_with_seed(trial)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

// The score by which fit would choose the best model; empty: the loss.
std::string default_score_of(const RunOptions& a) {
  ModelOptions model = a.model;
  Events unobserved;
  if (!spec_of(model, model.folder).sample_rows) return {};  // The task cannot be made without rows.
  lower_max_length(model, model.folder, unobserved);
  return score_of_task(a, *open_task(model, model.folder, {}, Classes::kAssumed, unobserved));
}

std::string first_set_of(const RunOptions& a) {
  return a.validation.empty() ? "" : named_files(a.validation).front().name;
}

DecidingScore deciding_score_of(RunOptions a) {
  if (a.best_model.metric.empty()) a.best_model.metric = default_score_of(a);
  const std::string name = train::deciding_score(a.best_model, first_set_of(a));
  return {.name = name,
          .greater_is_better = train::is_greater_better(a.best_model, name),
          .best_of_run = a.best_model.load_at_end};
}

// Configurations with the same mean of the deciding score are compared by this one.
DecidingScore loss_of(const RunOptions& a) {
  return {.name = train::deciding_score(BestModelOptions(), first_set_of(a)), .greater_is_better = false};
}

using train::refuse_option;

void check_trial(const RunOptions& a) {
  check_options_of_run(a);
  if (a.folds > 0) refuse_option("folds", "a sweep", "trials without --folds, each a single run");
  if (!a.resume_from_checkpoint.empty()) {
    refuse_option("resume_from_checkpoint", "a sweep", "--resume, which resumes the trial that was interrupted");
  }
  if (a.validation.empty() && a.validation_split == 0) {
    refuse_option("validation", "no validation rows", "--validation or --validation-split, as their scores decide");
  }
  if (eval_strategy_of(a) == EvalStrategy::kNo) {
    refuse_option("eval_strategy", "no", "evaluations in each trial, as their scores decide");
  }
  check_checkpoints(a);
  check_one_run(a);
}

void check_options(const SweepOptions& a) {
  if (a.trials.empty()) refuse_option("sweep", "no trial", "at least one");
  if (a.halving_factor < 0 || a.halving_factor == 1) {
    refuse_option("halving_factor", std::to_string(a.halving_factor), "at least 2, or 0 for no halving");
  }
  for (const Trial& trial : a.trials) check_trial(trial.options);
}

std::vector<Rung> all_rungs(const SweepOptions& a) {
  const std::vector<Configuration> all = configurations_of(a.trials);
  size_t seeds = 0;
  for (const Configuration& configuration : all) seeds = std::max(seeds, configuration.trials.size());
  return rungs_of(a.trials.front().options, all.size(), seeds, a.halving_factor);
}

// Everything that decides about the results of a sweep, as far as its options say.
train::RunFacts facts_of(const SweepOptions& a, const DecidingScore& score) {
  train::RunFacts facts = {{"metric", score.name}, {"halving", std::to_string(a.halving_factor)}};
  facts[train::kModelFact] = name_of_model(a.trials.front().options.model.folder);
  for (const GivenOption& option : a.trials.front().options.model.given) {
    const bool is_setting = std::ranges::any_of(
        a.trials.front().settings, [&](const TrialSetting& setting) { return option.name == "--" + setting.first; });
    const bool has_fact = is_setting || option.name == "--model" || option.name == "--seed";  // those above and below
    if (option.decides && !has_fact) {
      facts[option.name] = without_secrets(fmt::format("{}", fmt::join(option.values, " ")));
    }
  }
  for (size_t i = 0; i < a.trials.size(); ++i) facts[trial_name(i)] = describe(a.trials[i]);
  return facts;
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
        loss_(loss_of(options.trials.front().options)),
        state_(options.output, facts_of(options, score_), options.trials),
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
      left = survivors(left, rung);
      remove_weights_but(names_of(left));
    }
    return true;
  }

  SweepOutcome finish() {
    SweepOutcome outcome = results();
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
      const auto has_not_ended = [this](size_t index) { return !has_ended(index); };
      if (std::ranges::none_of(configuration.trials, has_not_ended)) {
        ended.push_back(configuration);
        continue;
      }
      kept.insert(best_trial(configuration));
      for (const size_t index : configuration.trials | std::views::filter(has_not_ended)) {
        kept.insert(trial_name(index));
      }
    }
    if (!ended.empty()) kept.insert(best_trial(ranked(ended).front()));
    remove_weights_but(kept);
  }

  void remove_weights_but(const std::set<std::string>& kept) const {
    for (size_t i = 0; i < options_.trials.size() && !options_.keep_models; ++i) {
      if (!kept.contains(trial_name(i))) remove_weights(folder_of(i));
    }
  }

  bool has_ended(size_t index) const {
    const TrialState& state = state_.trial(index);
    return state.rungs.contains(rungs_.size() - 1) || !state.error.empty();
  }

  std::optional<double> score_of(size_t index) const { return score_of(index, score_); }
  std::optional<double> score_of(size_t index, const DecidingScore& score) const {
    const TrialState& state = state_.trial(index);
    return state.error.empty() && state.last() != nullptr ? value_of(state.last()->scores, score) : std::nullopt;
  }

  auto begun_trials(const Configuration& configuration) const {
    return configuration.trials | std::views::filter([this](size_t index) { return state_.trial(index).has_begun(); });
  }

  MeanScore mean_score(const Configuration& configuration, const DecidingScore& score) const {
    std::vector<std::optional<double>> scores;
    for (const size_t index : begun_trials(configuration)) scores.push_back(score_of(index, score));
    return mean_of(scores);
  }

  // The mean after a rung, also if later rungs have results.
  MeanScore mean_after(const Configuration& configuration, size_t rung, const DecidingScore& score) const {
    std::vector<std::optional<double>> scores;
    for (const size_t index : configuration.trials | std::views::take(rungs_[rung].seeds)) {
      const auto& results = state_.trial(index).rungs;
      const auto found = results.find(rung);
      scores.push_back(found == results.end() ? std::nullopt : value_of(found->second.scores, score));
    }
    return mean_of(scores);
  }

  // The configurations, those with the best mean first, or the least loss if the means are equal; otherwise in the
  // order of their trials.
  template <class Mean>
  std::vector<Configuration> ranked(std::vector<Configuration> configurations, const Mean& mean) const {
    std::ranges::stable_sort(configurations, [&](const Configuration& a, const Configuration& b) {
      for (const DecidingScore& score : {score_, loss_}) {
        const MeanScore of_a = mean(a, score), of_b = mean(b, score);
        if (is_better(of_a, of_b, score.greater_is_better)) return true;
        if (is_better(of_b, of_a, score.greater_is_better)) return false;
      }
      return false;
    });
    return configurations;
  }
  std::vector<Configuration> ranked(std::vector<Configuration> configurations) const {
    return ranked(std::move(configurations),
                  [this](const Configuration& one, const DecidingScore& score) { return mean_score(one, score); });
  }

  static std::set<std::string> names_of(const std::vector<Configuration>& configurations) {
    std::set<std::string> names;
    for (const Configuration& configuration : configurations) {
      for (const size_t index : configuration.trials) names.insert(trial_name(index));
    }
    return names;
  }

  // The better part of the configurations after a rung, in their old order.
  std::vector<Configuration> survivors(const std::vector<Configuration>& configurations, size_t rung) const {
    const auto factor = static_cast<size_t>(options_.halving_factor);
    const auto mean = [this, rung](const Configuration& one, const DecidingScore& score) {
      return mean_after(one, rung, score);
    };
    std::vector<Configuration> best = ranked(configurations, mean);
    const size_t count = (best.size() + factor - 1) / factor;
    if (count < best.size()) warn_of_equal_means(mean(best[count - 1], score_), mean(best[count], score_));
    best.resize(count);
    std::ranges::sort(best, {}, [](const Configuration& configuration) { return configuration.trials.front(); });
    return best;
  }

  void warn_of_equal_means(const MeanScore& last_survivor, const MeanScore& next) const {
    const bool are_equal = last_survivor.complete == next.complete && last_survivor.mean == next.mean;
    if (!are_equal || score_.name == loss_.name) return;
    events_.warning(fmt::format(
        "several configurations have the same {} ({:.4f}) at a comparison of halving, so their loss decides; "
        "longer trials or another --metric-for-best-model would tell them apart",
        score_.name, next.mean));
  }

  SweepRow row_of(const Configuration& configuration) const {
    const MeanScore mean = mean_score(configuration, score_);
    SweepRow row{.settings = configuration.settings, .mean = mean.mean, .deviation = mean.deviation};
    for (const size_t index : begun_trials(configuration)) {
      row.trials.push_back(trial_name(index));
      row.seeds.push_back(trial(index).options.training.seed);
      row.scores.push_back(score_of(index));
      if (const RungResult* last = state_.trial(index).last()) row.steps = std::max(row.steps, last->step);
    }
    return row;
  }

  // Configurations that have trained longer come first: halving has found them better.
  SweepOutcome results() const {
    SweepOutcome outcome{
        .metric = score_.name, .greater_is_better = score_.greater_is_better, .output = options_.output};
    std::vector<Configuration> configurations = ranked(configurations_of(options_.trials));
    std::ranges::stable_sort(configurations, std::ranges::greater(), [&](const Configuration& configuration) {
      size_t last = 0;
      for (const size_t index : configuration.trials) {
        const TrialState& state = state_.trial(index);
        if (!state.rungs.empty()) last = std::max(last, state.rungs.rbegin()->first);
      }
      return last;
    });
    for (const Configuration& configuration : configurations) outcome.rows.push_back(row_of(configuration));
    outcome.best = best_trial(configurations.front());
    for (size_t i = 0; i < options_.trials.size(); ++i) {
      const std::string& error = state_.trial(i).error;
      if (!error.empty()) outcome.failed.push_back({trial_name(i), error});
    }
    return outcome;
  }

  // The best of the trials of a configuration that have trained to the end; empty if there is none.
  std::string best_trial(const Configuration& configuration) const {
    std::optional<size_t> best;
    for (const size_t index : configuration.trials) {
      if (!has_ended(index) || !score_of(index)) continue;
      const bool is_better = !best || (score_.greater_is_better ? *score_of(index) > *score_of(*best)
                                                                : *score_of(index) < *score_of(*best));
      if (is_better) best = index;
    }
    return best ? trial_name(*best) : "";
  }

  const Trial& trial(size_t index) const { return options_.trials[index]; }
  fs::path folder_of(size_t index) const { return options_.output / trial_name(index); }

  const SweepOptions& options_;
  const std::vector<Rung> rungs_;
  RowsOfTrials& rows_;
  EventsAtOnce& events_;
  Callback* const callback_;
  const DecidingScore score_, loss_;
  std::mutex mutex_;  // guards the members below, and the weights of ended trials, while trials train
  SweepState state_;
  std::vector<size_t> short_of_memory_;  // trials beside others
  RunsAtOnce runs_;
  std::atomic<bool> is_first_ = true;
};

}  // namespace

std::string trial_name(size_t trial) { return fmt::format("trial-{:03}", trial + 1); }

std::optional<SweepOutcome> sweep(const SweepOptions& options, Events& events, Callback* callback) {
  check_options(options);
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
