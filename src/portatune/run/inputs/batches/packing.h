// Packing: several texts in a row of a training batch.
#pragma once

#include <optional>
#include <string>

#include "portatune/data.h"
#include "portatune/run.h"

namespace portatune {
class RowTask;
}

namespace portatune::run {

/// Looks at the lengths of the first examples, chooses the shapes of packed batches and reports them.
/// returns  nothing if texts are not packed
/// errors   UsageError for --tokens-per-batch without a token budget, and for a policy that the task does not support
std::optional<data::PackedShapes> chosen_packing(const RunOptions& a, const RowTask& task, Events& events);

/// "exact_examples" or "token_budget".
std::string name_of(data::Packing packing);

}  // namespace portatune::run
