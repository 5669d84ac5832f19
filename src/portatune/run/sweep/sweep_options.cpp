#include "portatune/run/sweep/sweep_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/base/text/url_secrets.h"
#include "portatune/run/inputs/rows/validation.h"
#include "portatune/run/inputs/task/model_length.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/options/model_name.h"
#include "portatune/run/options/run_options.h"
#include "portatune/run/options/strategies.h"
#include "portatune/run/output/run_checkpoints.h"
#include "portatune/run/score_of_task.h"
#include "portatune/train/evaluation/best_model.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

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

}  // namespace

void check_sweep(const SweepOptions& a) {
  if (a.trials.empty()) refuse_option("sweep", "no trial", "at least one");
  if (a.halving_factor < 0 || a.halving_factor == 1) {
    refuse_option("halving_factor", std::to_string(a.halving_factor), "at least 2, or 0 for no halving");
  }
  for (const Trial& trial : a.trials) check_trial(trial.options);
}

std::vector<TrialSetting> settings_with_seed(const Trial& trial) {
  std::vector<TrialSetting> settings = trial.settings;
  settings.emplace_back("seed", std::to_string(trial.options.training.seed));
  return settings;
}

std::string describe(const Trial& trial) {
  std::string text;
  for (const auto& [name, value] : settings_with_seed(trial)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

DecidingScore deciding_score_of(RunOptions a) {
  if (a.best_model.metric.empty()) a.best_model.metric = default_score_of(a);
  const std::string name = train::deciding_score(a.best_model, first_set_of(a));
  return {.name = name,
          .greater_is_better = train::is_greater_better(a.best_model, name),
          .best_of_run = a.best_model.load_at_end};
}

DecidingScore loss_of(const RunOptions& a) {
  return {.name = train::deciding_score(BestModelOptions(), first_set_of(a)), .greater_is_better = false};
}

std::vector<Rung> all_rungs(const SweepOptions& a) {
  const std::vector<Configuration> all = configurations_of(a.trials);
  size_t seeds = 0;
  for (const Configuration& configuration : all) seeds = std::max(seeds, configuration.trials.size());
  return rungs_of(a.trials.front().options, all.size(), seeds, a.halving_factor);
}

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

}  // namespace portatune::run
