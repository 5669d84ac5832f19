#include "portatune/python/tasks/task_functions.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/ops.h"
#include "portatune/python/arrays.h"
#include "portatune/python/calling_thread.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

float number_of(const data::Example& row, const std::string& column) {
  const std::string& text = row.text(column);
  if (const std::optional<float> number = portatune::number_in<float>(text)) return *number;
  throw DataError({.where = to_string(row.origin()),
                   .given = in_quotes(text) + " in column " + in_quotes(column),
                   .expected = "a number"});
}

int32_t class_in(const data::Example& row, const ClassesInput& input) {
  const std::string& text = row.text(input.column);
  const auto found = std::ranges::find(input.classes, text);
  if (found != input.classes.end()) return static_cast<int32_t>(found - input.classes.begin());
  throw DataError({.where = to_string(row.origin()),
                   .given = in_quotes(text) + " in column " + in_quotes(input.column),
                   .expected = "one of " + list_of(input.classes)});
}

nb::dict arrays_of(const data::Example& columns, const std::vector<std::string>& names) {
  nb::dict arrays;
  for (const std::string& name : names) arrays[name.c_str()] = to_numpy(columns.tensor(name));
  return arrays;
}

std::vector<std::string> names_in(const data::Example& columns) {
  std::vector<std::string> names;
  for (const data::Example::Entry& entry : columns.columns()) names.push_back(entry.name);
  return names;
}

// Hands all batches of an evaluation to a function of Python.
class TaskMetrics final : public Metrics {
 public:
  TaskMetrics(SharedObject task, std::vector<std::string> labels)
      : task_(std::move(task)), labels_(std::move(labels)) {}

  void update(const data::Example& batch, const data::Example& outputs) override {
    data::Example labels;
    for (const std::string& name : labels_) labels.set(name, batch.tensor(name));
    batches_.push_back(
        {.labels = std::move(labels), .outputs = outputs, .weights = batch.tensor(data::kExampleWeight)});
  }

  Scores result() const override {
    Scores scores;
    call_python([&] {
      nb::list batches;
      for (const Batch& batch : batches_) {
        batches.append(nb::make_tuple(arrays_of(batch.outputs, names_in(batch.outputs)),
                                      arrays_of(batch.labels, labels_), to_numpy(batch.weights)));
      }
      const auto computed = nb::cast<nb::dict>(task_->attr("compute_metrics")(batches));
      for (const auto& [name, value] : computed) {
        scores.emplace_back(nb::cast<std::string>(name), nb::cast<double>(value));
      }
    });
    return scores;
  }

 private:
  struct Batch {
    data::Example labels, outputs;
    Tensor weights;
  };

  const SharedObject task_;
  const std::vector<std::string> labels_;
  std::vector<Batch> batches_;
};

class TaskLines final : public PredictionLines {
 public:
  explicit TaskLines(SharedObject task) : task_(std::move(task)) {}

  std::string take(const data::Example& batch, const data::Example& outputs) override {
    std::string lines;
    call_python([&] {
      lines = nb::cast<std::string>(task_->attr("prediction_lines")(arrays_of(outputs, names_in(outputs)),
                                                                    to_numpy(batch.tensor(data::kExampleWeight))));
    });
    return lines;
  }

 private:
  const SharedObject task_;
};

Forward with_losses(const Value& losses, const Value& weights) {
  if (losses.shape() != weights.shape() || !is_float(losses.dtype())) {
    throw ShapeError({.where = "forward",
                      .given = "losses of type " + to_string(losses.type()),
                      .expected = "a loss for each row: float32" + to_string(weights.shape()),
                      .fix = "take the mean over the other axes, and not over the rows, which have weights"});
  }
  const Value weighted = convert(losses, DType::kFloat32) * weights;
  return {.loss_sum = sum(weighted), .weight_sum = sum(weights), .outputs = {}};
}

}  // namespace

std::vector<std::string> TaskFunctions::label_columns() const {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const NumbersInput& numbers : inputs().numbers) std::ranges::for_each(numbers.columns, add);
  for (const ClassesInput& classes : inputs().classes) add(classes.column);
  return names;
}

std::vector<std::string> TaskFunctions::labels() const {
  std::vector<std::string> names;
  for (const NumbersInput& numbers : inputs().numbers) names.push_back(numbers.name);
  for (const ClassesInput& classes : inputs().classes) names.push_back(classes.name);
  return names;
}

void TaskFunctions::set_labels(data::Example& example, const data::Example& row, RowTask::Labels labels) const {
  const bool are_required = labels == RowTask::Labels::kRequired;
  for (const NumbersInput& input : inputs().numbers) {
    std::vector<float> numbers(input.columns.size());
    for (size_t i = 0; are_required && i < numbers.size(); ++i) numbers[i] = number_of(row, input.columns[i]);
    example.set(input.name, vector_of(numbers));
  }
  for (const ClassesInput& input : inputs().classes) {
    example.set(input.name, Tensor({}, {are_required ? class_in(row, input) : 0}));
  }
}

std::map<std::string, std::string> TaskFunctions::settings() const {
  std::map<std::string, std::string> settings;
  call_python([&] { settings = nb::cast<std::map<std::string, std::string>>(definition_.object->attr("settings")()); });
  return settings;
}

Forward TaskFunctions::forward(const Columns& batch, const std::function<nb::object(nb::dict&)>& inputs) const {
  Forward forward;
  call_python([&] {
    nb::dict columns;
    const nb::object model = inputs(columns);
    for (const std::string& name : labels()) columns[name.c_str()] = nb::cast(batch.at(name));
    const auto given = nb::cast<nb::tuple>(definition_.object->attr("forward")(model, columns));
    const auto outputs = nb::cast<nb::dict>(given[1]);
    forward = with_losses(nb::cast<Value>(given[0]), batch.find(data::kExampleWeight)->second);
    for (const auto& [name, value] : outputs) {
      forward.outputs.emplace_back(nb::cast<std::string>(name), nb::cast<Value>(value));
    }
  });
  return forward;
}

std::unique_ptr<Metrics> TaskFunctions::metrics() const {
  return std::make_unique<TaskMetrics>(definition_.object, labels());
}

std::unique_ptr<PredictionLines> TaskFunctions::prediction_lines() const {
  return std::make_unique<TaskLines>(definition_.object);
}

}  // namespace portatune::python
