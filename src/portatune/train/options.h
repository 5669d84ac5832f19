// Checks of options before anything is loaded.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/train.h"
#include "portatune/train/program/programs.h"

namespace portatune::train {

/// The error of an option's value.
[[noreturn]] void refuse_option(const std::string& option, std::string given, std::string expected,
                                std::string fix = {});

/// errors  UsageError naming the option, as TrainingOptions spells it
void check(const TrainingOptions& options);

/// The options that are compiled into a step.
StepOptions step_options(const TrainingOptions& options, const Mesh& mesh = {});

/// Returns whether fit() saves checkpoints beside that before a step that stops training.
bool saves_checkpoints(const FitOptions& options);

/// All steps of a run whose epochs have this number of steps.
/// errors  UsageError for more than a 64-bit integer holds
int64_t total_steps(const FitOptions& options, int64_t steps_per_epoch);
inline int64_t total_steps(const FitOptions& options) { return total_steps(options, options.steps_per_epoch); }
/// Number of batches in all epochs of a run, the last of which may have fewer steps.
inline int64_t batches_of_epochs(int64_t total_steps, int64_t steps_per_epoch) {
  const int64_t in_last = steps_per_epoch > 0 ? total_steps % steps_per_epoch : 0;
  return in_last == 0 ? total_steps : total_steps - in_last + steps_per_epoch;
}

/// errors  UsageError naming the option, as FitOptions spells it
void check(const FitOptions& options, const TrainingOptions& training = {});

}  // namespace portatune::train
