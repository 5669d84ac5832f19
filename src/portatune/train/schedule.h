// Values that change from step to step: learning rate and random key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/tensor.h"
#include "portatune/train.h"

namespace portatune::train {

/// Values of TrainingOptions::lr_scheduler_type.
std::vector<std::string> schedule_names();

/// Checks options that depend on each other; check_ranges() checks each of them.
/// errors  UsageError naming the option of the learning rate or its schedule
void check_schedule(const TrainingOptions& options);

/// Refuses reduce_lr_on_plateau where nothing is evaluated.
/// given   the reason, for the error
/// errors  UsageError
void require_no_plateau(const TrainingOptions& options, const char* given);

/// Number of steps in which the learning rate rises.
int64_t warmup_steps(const TrainingOptions& options, int64_t total_steps);

/// What the learning rate of a step depends on.
struct ScheduleMoment {
  int64_t step;  ///< counted from 1
  int64_t total_steps;
  int64_t reductions = 0;  ///< number of reductions so far, see Plateau
};

/// The learning rate of a step as in transformers: it rises linearly from 0 in the warm-up steps, then follows the
/// schedule. The rate of step total_steps + 1 would be that at the end of the schedule.
/// peak  the rate before the schedule
double scheduled(double peak, const TrainingOptions& options, const ScheduleMoment& moment);
/// The learning rate of parameters without a rate of their own.
inline double learning_rate(const TrainingOptions& options, const ScheduleMoment& moment) {
  return scheduled(options.learning_rate, options, moment);
}

/// Returns whether the learning rate of a step depends on the total number of steps.
bool depends_on_total_steps(const TrainingOptions& options);

/// uint32 [2]: the random key of a step, a function of seed and step alone.
Tensor random_key(uint64_t seed, int64_t step);

}  // namespace portatune::train
