#include "portatune/tasks/rows/row_labels.h"

#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/label_sets.h"

namespace portatune::tasks {
namespace {

using Names = RowLabels::Names;

// The names of the columns that hold a 1.
Names columns_that_apply(const data::Example& row, const Names& columns) {
  const Tensor indicators = indicator_columns(row, columns);
  Names labels;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (indicators.as<float>()[i] > 0) labels.push_back(columns[i]);
  }
  return labels;
}

RowLabels several_labels(const TextClassificationOptions& options, const Names& labels) {
  RowLabels result{.classes = labels, .noun = "label", .nouns = "labels"};
  if (!options.label_columns.empty()) {
    result.in_row = [labels](const data::Example& row) { return columns_that_apply(row, labels); };
  } else {
    result.in_row = [column = options.label_column, separator = options.label_separator](const data::Example& row) {
      return label_set(row, column, separator);
    };
  }
  return result;
}

}  // namespace

RowLabels one_class_a_row(const Names& classes, const std::string& column) {
  const auto in_row = [classes, column](const data::Example& row) {
    label_id(row, column, classes);
    return Names{row.text(column)};
  };
  return {.classes = classes, .in_row = in_row, .class_column = column};
}

RowLabels row_labels(const TextClassificationOptions& options, Head head, const Names& labels) {
  if (head == Head::kRegression) return {.number_columns = labels.empty() ? Names{options.label_column} : labels};
  return head == Head::kMultiLabel ? several_labels(options, labels) : one_class_a_row(labels, options.label_column);
}

}  // namespace portatune::tasks
