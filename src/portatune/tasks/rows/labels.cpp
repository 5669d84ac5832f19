#include <algorithm>
#include <functional>
#include <set>

#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/label_sets.h"
#include "portatune/tasks/text_classification.h"

namespace portatune {
namespace {

constexpr size_t kMaxLabels = 1000;

void require_few(const data::Example& row, const std::string& column, const std::string& label, size_t known) {
  if (known <= kMaxLabels) return;
  throw DataError({.where = to_string(row.origin()),
                   .given = "more than " + std::to_string(kMaxLabels) + " different labels in column \"" + column +
                            "\", the last being \"" + label + "\"",
                   .expected = "a class name or number",
                   .fix = "give the name of the column with the classes"});
}

// Collects the labels of all rows. `in_row` returns those of one row.
LabelScan scan(const data::Dataset& rows, const std::string& column,
               const std::function<std::vector<std::string>(const data::Example&)>& in_row) {
  std::set<std::string> labels;
  LabelScan scan;
  for (const data::Example& row : rows.iterate()) {
    for (const std::string& label : in_row(row)) {
      labels.insert(label);
      require_few(row, column, label, labels.size());
    }
    ++scan.examples;
  }
  scan.labels.assign(labels.begin(), labels.end());
  if (std::ranges::all_of(scan.labels,
                          [](const std::string& label) { return number_in<int64_t>(label).has_value(); })) {
    std::ranges::sort(scan.labels, {}, [](const std::string& label) { return *number_in<int64_t>(label); });
  }
  return scan;
}

}  // namespace

LabelScan labels_of(const data::Dataset& rows, const std::string& column) {
  return scan(rows, column, [&](const data::Example& row) {
    tasks::require_label(row, column);
    return std::vector{row.text(column)};
  });
}

LabelScan label_sets_of(const data::Dataset& rows, const std::string& column, const std::string& separator) {
  return scan(rows, column, [&](const data::Example& row) { return tasks::label_set(row, column, separator); });
}

}  // namespace portatune
