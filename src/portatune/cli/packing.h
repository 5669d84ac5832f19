// --packing: several texts in a row of a training batch.
#pragma once

#include <optional>
#include <string>

#include "portatune/packing.h"

namespace portatune {
class RowTask;
}

namespace portatune::cli {

struct FitArguments;

/// Looks at the lengths of the first examples, chooses the shapes of packed batches and says which. Nothing unless
/// --packing is given.
/// errors  UsageError for a budget without a use, and for a task that cannot be packed
std::optional<data::PackedShapes> chosen_packing(const FitArguments& a, const RowTask& task);

/// "exact_examples" or "token_budget".
std::string name_of(data::Packing packing);

}  // namespace portatune::cli
