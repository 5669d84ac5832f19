// The trials of `portatune sweep`, each an ordinary command line of `portatune fit`.
#pragma once

#include <string>
#include <vector>

#include "portatune/cli/options/arguments.h"
#include "portatune/run.h"

namespace portatune::cli {

/// The settings of each configuration: all combinations of the values of --grid, or random ones.
/// errors  UsageError for an option that a sweep cannot change, for a range without --random, and for more random
///         configurations than there are
std::vector<std::vector<run::TrialSetting>> configurations_of(const SweepArguments& a);

/// The words of `portatune fit` that repeat a trial.
/// errors  UsageError for a setting whose option the command line has, too
std::vector<std::string> words_of_trial(const SweepArguments& a, const std::vector<run::TrialSetting>& settings,
                                        uint64_t seed, const std::string& name);

/// All trials, seed by seed within each configuration, as the command line's parser reads their words.
/// errors  those of parse() and of the functions above
std::vector<run::Trial> trials_of(const SweepArguments& a);

/// The options of the sweep.
/// errors  those of trials_of()
run::SweepOptions sweep_options(const SweepArguments& a);

}  // namespace portatune::cli
