// The rows that a command reads.
#pragma once

#include <string>
#include <vector>

#include "portune/data.h"
#include "portune/tasks.h"

namespace portune::cli {

/// The text columns and, if asked for, the label column of CSV, TSV or JSON Lines files.
data::Dataset read_rows(const std::vector<std::string>& files, const TextClassificationOptions& options,
                        TextClassification::Labels labels);

/// The same rows or batches; Interrupted is thrown in their place once a signal was caught.
data::Dataset interruptible(const data::Dataset& dataset);

/// Batches of all rows in their order, prepared ahead.
data::Dataset evaluation_batches(const TextClassification& task, const data::Dataset& rows, int64_t size,
                                 TextClassification::Labels labels);

}  // namespace portune::cli
