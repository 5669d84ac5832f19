#include "portatune/tasks/task_spec.h"

namespace portatune {
namespace {

constexpr const char* kData = "Data";
constexpr const char* kTraining = "Training";

// Adds a field to a group of the help that the tasks share.
template <class T>
void add(OptionFields& fields, const char* group, const char* name, T& value, const char* help, OptionRules rules) {
  fields.group(group);
  fields(name, value, help, std::move(rules));
  fields.group({});
}

template <class T>
void add_max_length(OptionFields& fields, T& max_length) {
  add(fields, kData, "max_length", max_length, "tokens of a text; longer ones are cut",
      {.lowest = 3, .other_names = "max_seq_length", .kept = true});
}

}  // namespace

void describe_max_length(OptionFields& fields, int64_t& max_length) { add_max_length(fields, max_length); }
void describe_max_length(OptionFields& fields, std::optional<int64_t>& max_length) {
  add_max_length(fields, max_length);
}

void describe_text_column(OptionFields& fields, std::string& column) {
  add(fields, kData, "text_column", column, "column of the text", {.kept = true});
}

void describe_label_column(OptionFields& fields, std::string& column) {
  add(fields, kData, "label_column", column, "column of the label: numbers or names",
      {.use = OptionUse::kLabels, .kept = true});
}

void describe_classes(OptionFields& fields, std::vector<std::string>& labels) {
  add(fields, kData, "labels", labels, "classes in the order of their ids",
      {.default_help = "those of the rows", .use = OptionUse::kTraining});
}

void describe_metrics(OptionFields& fields, std::vector<std::string>& metrics) {
  add(fields, kData, "metrics", metrics, "scores to report, by name (docs/results/metrics.md), or all",
      {.default_help = "the most usual ones", .use = OptionUse::kLabels});
}

void describe_label_smoothing(OptionFields& fields, double& label_smoothing) {
  add(fields, kTraining, "label_smoothing_factor", label_smoothing, "share of a target that all classes get alike",
      {.highest = 0.999, .use = OptionUse::kTraining});
}

void describe_loss(OptionFields& fields, LossOptions& loss, ClassWeights& weights) {
  describe_label_smoothing(fields, loss.label_smoothing);
  add(fields, kTraining, "class_weights", weights.class_weights,
      "weights in the loss: balanced, a table, or a number per class", {.use = OptionUse::kTraining});
  add(fields, kTraining, "focal_gamma", loss.focal_gamma, "focal loss: weight (1 - p)^N",
      {.highest = 100, .use = OptionUse::kTraining});
}

}  // namespace portatune
