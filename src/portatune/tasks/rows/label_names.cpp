#include "portatune/tasks/rows/label_names.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/utf8.h"
#include "portatune/error.h"

namespace portatune::tasks {
namespace {

// Ends of the names of transformers' models for classification.
constexpr std::array<std::string_view, 5> kClassifiers = {"ForSequenceClassification", "ForTokenClassification",
                                                          "ForImageClassification", "ForImageClassificationWithTeacher",
                                                          "ForAudioClassification"};

bool is_classifier(const io::JsonObject& config) {
  return std::ranges::any_of(config.get_strings("architectures"), [](const std::string& architecture) {
    return std::ranges::any_of(kClassifiers, [&](std::string_view name) { return architecture.ends_with(name); });
  });
}

// The classes of a model without id2label: transformers leaves out its default of two, and once wrote num_labels alone.
std::vector<std::string> default_labels(const io::JsonObject& config) {
  std::vector<std::string> labels;
  const int64_t count = config.get_int_or("num_labels", config.get_int_or("_num_labels", 2));
  for (int64_t id = 0; id < count; ++id) labels.push_back("LABEL_" + std::to_string(id));
  return labels;
}

// The class that is the same number as the label, such as 0 and 0.0; empty if there is none.
std::string equal_number(const std::string& label, const std::vector<std::string>& labels) {
  const std::optional<double> number = number_in<double>(label);
  const auto found = std::ranges::find_if(
      labels, [&](const std::string& name) { return number && number_in<double>(name) == number; });
  return found == labels.end() ? "" : *found;
}

}  // namespace

std::vector<std::string> labels_in(const io::JsonObject& config) {
  const std::map<std::string, std::string> id2label = config.get_string_map("id2label");
  if (id2label.empty() && is_classifier(config)) return default_labels(config);
  std::vector<std::string> labels;
  for (size_t id = 0; id < id2label.size(); ++id) {
    const auto found = id2label.find(std::to_string(id));
    if (found == id2label.end()) {
      throw CheckpointError({.where = "config.json, id2label",
                             .given = std::to_string(id2label.size()) + " labels, none with id " + std::to_string(id),
                             .expected = "ids 0, 1, 2, ... without gaps"});
    }
    labels.push_back(found->second);
  }
  return labels;
}

std::vector<std::string> in_stored_order(const std::vector<std::string>& wanted, std::vector<std::string> stored) {
  if (wanted.empty()) return stored;
  if (wanted.size() != stored.size()) return wanted;
  std::vector<std::string> added;
  const auto is_in = [](const std::vector<std::string>& labels) {
    return [&labels](const std::string& label) { return std::ranges::find(labels, label) != labels.end(); };
  };
  std::ranges::remove_copy_if(wanted, std::back_inserter(added), is_in(stored));
  if (added.size() == wanted.size()) return wanted;
  auto next = added.begin();
  for (std::string& label : stored) {
    if (!is_in(wanted)(label) && next != added.end()) label = *next++;
  }
  return next == added.end() ? stored : wanted;
}

void require_utf8(const std::vector<std::string>& labels) {
  for (const std::string& label : labels) {
    if (find_invalid_utf8(label) == std::string_view::npos) continue;
    throw UsageError({.where = "labels",
                      .given = "the class " + in_quotes(label) + ", which is not UTF-8",
                      .expected = "UTF-8, the encoding of config.json",
                      .fix = "rename the class, or its folder, or convert the file"});
  }
}

void require_classes(const std::vector<std::string>& labels) {
  if (labels.size() < 2) {
    throw UsageError({.where = labels.empty() ? "model" : "labels",
                      .given = labels.empty()
                                   ? "no labels: config.json has no id2label, so this is an encoder without a head"
                                   : "only one: \"" + labels.front() + "\"",
                      .expected = "at least two classes",
                      .fix = labels.empty() ? "fine-tune the model first" : ""});
  }
  require_utf8(labels);
  for (const std::string& label : labels) {
    if (std::ranges::count(labels, label) == 1) continue;
    throw UsageError({.where = "labels", .given = "\"" + label + "\" twice", .expected = "every class once"});
  }
}

void require_label(const data::Example& row, const std::string& column) {
  if (!row.text(column).empty()) return;
  throw DataError({.where = to_string(row.origin()),
                   .given = "an empty label in column \"" + column + "\"",
                   .expected = "a class name or number",
                   .fix = "write the label; --bad-rows skip:N leaves out up to N such rows"});
}

int32_t label_id(const data::Example& row, const std::string& column, const std::vector<std::string>& labels) {
  const std::string& label = row.text(column);
  if (const auto id = id_of(label, labels)) return *id;
  const std::string equal = equal_number(label, labels);
  throw DataError({.where = to_string(row.origin()),
                   .given = "label \"" + label + "\" in column \"" + column + "\"",
                   .expected = "one of the labels of the model: " + list_of(labels),
                   .fix = equal.empty() ? "" : "write " + equal + ", as in the rows that the model is trained on"});
}

std::optional<int32_t> id_of(const std::string& label, const std::vector<std::string>& labels) {
  auto found = std::ranges::find(labels, label);
  if (found == labels.end()) found = std::ranges::find(labels, "LABEL_" + label);
  if (found == labels.end()) return std::nullopt;
  return static_cast<int32_t>(found - labels.begin());
}

std::optional<int64_t> class_number(const std::string& label) {
  const auto number = number_in<int64_t>(label);
  return number && *number >= 0 ? number : std::nullopt;
}

}  // namespace portatune::tasks
