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

/// Number of steps in which the learning rate rises.
int64_t warmup_steps(const TrainingOptions& options, int64_t total_steps);

/// The learning rate of step `step`, counted from 1, as in transformers: it rises linearly from 0 in the warm-up steps,
/// then follows the schedule. The rate of step total_steps + 1 would be that at the end of the schedule.
double learning_rate(const TrainingOptions& options, int64_t step, int64_t total_steps);

/// Returns whether the learning rate of a step depends on the total number of steps.
bool depends_on_total_steps(const TrainingOptions& options);

/// uint32 [2]: the random key of a step, a function of seed and step alone.
Tensor random_key(uint64_t seed, int64_t step);

}  // namespace portatune::train
