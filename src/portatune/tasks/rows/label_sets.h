// Rows with any number of labels.
#pragma once

#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/tensor.h"

namespace portatune::tasks {

/// Returns whether a column holds a JSON list of strings or integers, which may be empty.
bool is_label_list(const data::Example& row, const std::string& column);

/// The labels in a column: the items of a JSON list, or the parts of a text between separators, without blanks around
/// them. An empty text has no labels.
/// errors  DataError that names the row for an empty or repeated label
std::vector<std::string> label_set(const data::Example& row, const std::string& column, const std::string& separator);

/// 1 for each of `labels` that a row has, otherwise 0: float32 [labels].
/// errors  DataError that names the row for an unknown label
Tensor indicators(const data::Example& row, const std::vector<std::string>& row_labels,
                  const std::vector<std::string>& labels);

/// The same array from columns of 0 and 1 with the names of the labels.
/// errors  DataError that names row and column for anything else
Tensor indicator_columns(const data::Example& row, const std::vector<std::string>& labels);

}  // namespace portatune::tasks
