// What the options of a sweep decide before its first trial: rungs, deciding scores, and the facts that a resume
// compares.
#pragma once

#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/run/sweep/ranking.h"
#include "portatune/run/sweep/trial_score.h"
#include "portatune/train/checkpoint/run_facts.h"

namespace portatune::run {

/// Refuses options that a sweep or its trials cannot have.
/// errors  UsageError
void check_sweep(const SweepOptions& options);

/// The rungs of the sweep; without halving one, with the whole training.
/// errors  those of rungs_of()
std::vector<Rung> all_rungs(const SweepOptions& options);

/// The score that decides between the trials: --metric-for-best-model, or that of the task.
DecidingScore deciding_score_of(RunOptions options);
/// The loss, by which configurations with the same mean of the deciding score are compared.
DecidingScore loss_of(const RunOptions& options);

/// Everything that decides about the results of a sweep, as far as its options say.
train::RunFacts facts_of(const SweepOptions& options, const DecidingScore& score);

/// The settings of a trial and its seed, for logs and tables.
std::vector<TrialSetting> settings_with_seed(const Trial& trial);
/// The settings as a text: "learning-rate 3e-5, seed 43".
std::string describe(const Trial& trial);

}  // namespace portatune::run
