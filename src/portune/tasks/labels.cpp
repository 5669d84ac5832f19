#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <set>

#include "portune/error.h"
#include "portune/tasks/label_sets.h"
#include "portune/text_classification.h"

namespace portune {
namespace {

constexpr size_t kMostLabels = 1000;

std::optional<int64_t> integer(const std::string& text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

void check_label(const data::Example& row, const std::string& column, const std::string& label, size_t known) {
  if (label.empty()) {
    throw DataError({.where = to_string(row.origin()),
                     .given = "an empty label in column \"" + column + "\"",
                     .expected = "a class name or number"});
  }
  if (known > kMostLabels) {
    throw DataError({.where = to_string(row.origin()),
                     .given = "more than " + std::to_string(kMostLabels) + " different labels in column \"" + column +
                              "\", the last being \"" + label + "\"",
                     .expected = "a class name or number",
                     .fix = "name the column that has the classes"});
  }
}

// `in_row` gives the labels of a row.
LabelScan scan(const data::Dataset& rows, const std::string& column,
               const std::function<std::vector<std::string>(const data::Example&)>& in_row) {
  std::set<std::string> labels;
  LabelScan scan;
  for (const data::Example& row : rows.iterate()) {
    for (const std::string& label : in_row(row)) {
      labels.insert(label);
      check_label(row, column, label, labels.size());
    }
    ++scan.examples;
  }
  scan.labels.assign(labels.begin(), labels.end());
  if (std::ranges::all_of(scan.labels, [](const std::string& label) { return integer(label).has_value(); })) {
    std::ranges::sort(scan.labels, {}, [](const std::string& label) { return *integer(label); });
  }
  return scan;
}

}  // namespace

LabelScan labels_of(const data::Dataset& rows, const std::string& column) {
  return scan(rows, column, [&](const data::Example& row) { return std::vector{row.text(column)}; });
}

LabelScan label_sets_of(const data::Dataset& rows, const std::string& column, const std::string& separator) {
  return scan(rows, column, [&](const data::Example& row) { return tasks::label_set(row, column, separator); });
}

}  // namespace portune
