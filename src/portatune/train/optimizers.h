// The optimizers that TrainingOptions can name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/train.h"
#include "portatune/train/optim/optimizer.h"
#include "portatune/train/program/parameter_groups.h"

namespace portatune::train {

inline constexpr const char* kAdamW = "adamw_torch";

/// Values of TrainingOptions::optim.
std::vector<std::string> optimizer_names();
/// The same with their other names in transformers.
std::vector<OptionChoice> optimizer_choices();
/// Name of the optimizer in texts: "AdamW".
std::string optimizer_title(const TrainingOptions& options);

/// Checks options that depend on each other; check_ranges() checks each of them.
/// errors  UsageError naming the option of the optimizer
void check_optimizer(const TrainingOptions& options);

/// The optimizer of the options.
std::unique_ptr<const optim::Optimizer> optimizer_of(const TrainingOptions& options);
/// The parameter groups of the options, with their optimizers.
std::vector<StepGroup> groups_of(const TrainingOptions& options);

/// The options of other optimizers, which a resumed run need not share with its run.
std::vector<std::string> unused_options(const TrainingOptions& options);

}  // namespace portatune::train
