// When a run evaluates and saves.
#pragma once

#include "portatune/run.h"

namespace portatune::run {

/// The strategy that was asked for; else kSteps with `eval_steps`, kEpoch without.
EvalStrategy eval_strategy_of(const RunOptions& a);

/// The strategy that was asked for; else kSteps with `checkpoint_every`. A run that ends with its best model otherwise
/// saves after each evaluation; other runs do not save.
SaveStrategy save_strategy_of(const RunOptions& a);

/// Steps between checkpoints of SaveStrategy::kSteps.
StepInterval save_steps_of(const RunOptions& a);

/// errors  UsageError for options that exclude each other, or lack another
void check_strategies(const RunOptions& a);

}  // namespace portatune::run
