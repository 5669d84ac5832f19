#include "portatune/tasks/rows/label_sets.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/row_json.h"

namespace portatune::tasks {
namespace {

bool begins_as_list(const data::Example& row, const std::string& column) {
  if (std::holds_alternative<Tensor>(row.column(column))) return true;
  const std::string& text = row.text(column);
  const size_t first = text.find_first_not_of(" \t");
  return first != std::string::npos && text[first] == '[';
}

std::string without_blanks(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> parts_of(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  if (separator.empty()) {
    throw UsageError({.where = "label_separator", .given = "''", .expected = "the text between labels, such as ','"});
  }
  if (without_blanks(text).empty()) return parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    parts.push_back(without_blanks(text.substr(begin, end - begin)));
    if (end == std::string::npos) return parts;
    begin = end + separator.size();
  }
}

void require_distinct(const data::Example& row, const std::string& column, std::vector<std::string> labels) {
  std::ranges::sort(labels);
  if (!labels.empty() && labels.front().empty()) throw bad_column(row, column, "labels that are not empty");
  if (std::ranges::adjacent_find(labels) == labels.end()) return;
  throw bad_column(row, column, "distinct label names (numbers 0 and 1 belong in a column for each label)");
}

float indicator(const data::Example& row, const std::string& column) {
  const std::string& text = row.text(column);
  if (text == "1" || text == "1.0" || text == "true" || text == "True") return 1;
  if (text == "0" || text == "0.0" || text == "false" || text == "False") return 0;
  throw bad_column(row, column, "0 or 1");
}

}  // namespace

bool is_label_list(const data::Example& row, const std::string& column) {
  if (!begins_as_list(row, column)) return false;
  try {
    texts_in(row, column);
    return true;
  } catch (const DataError&) {
    return false;
  }
}

std::vector<std::string> label_set(const data::Example& row, const std::string& column, const std::string& separator) {
  const std::vector<std::string> labels =
      begins_as_list(row, column) ? texts_in(row, column) : parts_of(row.text(column), separator);
  require_distinct(row, column, labels);
  return labels;
}

Tensor indicators(const data::Example& row, const std::vector<std::string>& row_labels,
                  const std::vector<std::string>& labels) {
  Tensor result({DType::kFloat32, {std::ssize(labels)}});
  for (const std::string& label : row_labels) {
    const auto id = id_of(label, labels);
    if (!id) {
      throw DataError({.where = to_string(row.origin()),
                       .given = "label \"" + label + "\"",
                       .expected = "labels of the model: " + list_of(labels)});
    }
    result.as<float>()[static_cast<size_t>(*id)] = 1;
  }
  return result;
}

Tensor indicator_columns(const data::Example& row, const std::vector<std::string>& labels) {
  std::vector<float> values;
  for (const std::string& label : labels) values.push_back(indicator(row, label));
  return vector_of(values);
}

}  // namespace portatune::tasks
