// Training rows that are kept to measure on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "portatune/cli/commands.h"
#include "portatune/run/events.h"
#include "portatune/tasks.h"

namespace portatune::cli {

/// The class of each row, as the files have it; nothing where rows have not one class each.
std::optional<std::vector<std::string>> classes_of(const FitArguments& a, const RowTask& task,
                                                   const data::Dataset& rows);

/// errors  UsageError for --validation-split together with what has validation rows of its own
void check_validation_split(const FitArguments& a);

/// Whether a row of `rows` is held out: a random share of them, and where rows have one class each, the same share of
/// each class as far as there are enough.
std::vector<bool> held_out_rows(const FitArguments& a, const RowTask& task, const data::Dataset& rows,
                                run::Events& events);

}  // namespace portatune::cli
