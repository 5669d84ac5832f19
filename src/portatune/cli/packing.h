// --packing: several texts in a row of a training batch.
#pragma once

#include <optional>
#include <string>

#include "portatune/packing.h"
#include "portatune/run/events.h"

namespace portatune {
class RowTask;
}

namespace portatune::cli {

struct FitArguments;

enum class PackingPolicy {
  kAutomatic,      ///< kExactExamples where the task can be packed, --padding is not given, and padding is not cheaper
  kNone,           ///< one text per row
  kExactExamples,  ///< data::Packing::kExactExamples
  kTokenBudget     ///< data::Packing::kTokenBudget
};

/// Looks at the lengths of the first examples, chooses the shapes of packed batches and reports them.
/// returns  nothing if texts are not packed
/// errors   UsageError for --tokens-per-batch without a token budget, and for a policy that the task does not support
std::optional<data::PackedShapes> chosen_packing(const FitArguments& a, const RowTask& task, run::Events& events);

/// "exact_examples" or "token_budget".
std::string name_of(data::Packing packing);

}  // namespace portatune::cli
