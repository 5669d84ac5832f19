// The optimizers that TrainingOptions can name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "portatune/optim/optimizer.h"
#include "portatune/train.h"

namespace portatune::train {

inline constexpr const char* kAdamW = "adamw_torch";

/// Values of TrainingOptions::optim.
std::vector<std::string> optimizer_names();
/// Name of the optimizer in texts: "AdamW".
std::string optimizer_title(const TrainingOptions& options);

/// errors  UsageError naming the option of the optimizer
void check_optimizer(const TrainingOptions& options);

/// The optimizer of the options.
std::unique_ptr<const optim::Optimizer> optimizer_of(const TrainingOptions& options);

/// The options that the optimizer uses, which a resumed run must share with its run, by name.
std::map<std::string, std::string> optimizer_facts(const TrainingOptions& options);

}  // namespace portatune::train
