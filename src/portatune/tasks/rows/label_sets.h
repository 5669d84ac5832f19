// Rows with any number of labels.
#pragma once

#include <string>
#include <vector>

#include "portatune/data.h"
#include "portatune/tensor.h"

namespace portatune::tasks {

/// Whether a column holds a JSON list of strings or integers, be it empty.
bool is_label_list(const data::Example& row, const std::string& column);

/// The labels in a column: the items of a JSON list, or else the parts of a text between separators, without blanks
/// around them. An empty text has none.
/// errors  DataError that names the row for a label that is empty or there twice
std::vector<std::string> label_set(const data::Example& row, const std::string& column, const std::string& separator);

/// 1 for each of `labels` that a row has, else 0: float32 [labels].
/// errors  DataError that names the row for a label that is not among them
Tensor indicators(const data::Example& row, const std::vector<std::string>& row_labels,
                  const std::vector<std::string>& labels);

/// The same from columns of 0 and 1 with the names of the labels.
/// errors  DataError that names row and column for anything else
Tensor indicator_columns(const data::Example& row, const std::vector<std::string>& labels);

}  // namespace portatune::tasks
