// Values that change from step to step: learning rate and random key.
#pragma once

#include <cstdint>

#include "portatune/tensor.h"
#include "portatune/train.h"

namespace portatune::train {

/// The learning rate of step `step`, counted from 1. It rises linearly from 0 in the first `warmup_steps` steps. Then
/// "linear" falls to 0, which it would reach in the step after the last; "constant" stays. As in transformers.
/// errors  UsageError for an unknown lr_scheduler_type
double learning_rate(const TrainingOptions& options, int64_t step, int64_t total_steps);

/// Returns whether the learning rate of a step depends on the total number of steps.
bool depends_on_total_steps(const TrainingOptions& options);

/// uint32 [2]: the random key of a step, a function of seed and step alone.
Tensor random_key(uint64_t seed, int64_t step);

}  // namespace portatune::train
