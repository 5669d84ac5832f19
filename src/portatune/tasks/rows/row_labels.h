// The labels of rows with classes.
#pragma once

#include <string>
#include <vector>

#include "portatune/tasks.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::tasks {

/// Labels of one class per row.
RowLabels one_class_a_row(const std::vector<std::string>& classes, const std::string& column);

/// Labels of a head of text classification, with the columns of the options.
/// labels  TextClassification::labels()
RowLabels row_labels(const TextClassificationOptions& options, Head head, const std::vector<std::string>& labels);

}  // namespace portatune::tasks
