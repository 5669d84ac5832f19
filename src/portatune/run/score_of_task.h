// The score that a task chooses.
#pragma once

#include <string>

#include "portatune/run.h"

namespace portatune::run {

/// The score that decides about the best model unless the user names another, with the name of the first validation
/// set; empty: the loss.
std::string score_of_task(const RunOptions& options, const RowTask& task);

}  // namespace portatune::run
