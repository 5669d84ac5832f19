#include "portatune/python/python_task.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <utility>

#include "portatune/base/message.h"
#include "portatune/error.h"
#include "portatune/python/arrays.h"
#include "portatune/python/calling_thread.h"
#include "portatune/tasks/registry.h"
#include "portatune/tasks/task_spec.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

std::string prefix_of(const TextInput& text) { return text.name + "_"; }

float number_in(const data::Example& row, const std::string& column) {
  const std::string& text = row.text(column);
  float number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
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

struct Definition {
  std::string name, architecture;
  TaskInputs inputs;
  SharedObject object;
};

class PythonTask final : public TextTask {
 public:
  PythonTask(const std::filesystem::path& folder, int64_t max_length, Definition definition)
      : TextTask(folder, max_length), definition_(std::move(definition)) {
    const bool needs_ends = std::ranges::any_of(inputs_().texts, [](const TextInput& text) { return text.separate; });
    if (!needs_ends || (checkpoint().tokenizer().cls_id() && checkpoint().tokenizer().sep_id())) return;
    throw CheckpointError({.where = folder.string(),
                           .given = "a tokenizer without cls_token and sep_token",
                           .expected = "an encoder such as BERT or RoBERTa, for texts with separate columns"});
  }

  // Conversion of rows to examples.

  std::vector<std::string> columns(Labels labels) const override {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const TextInput& text : inputs_().texts) std::ranges::for_each(text.columns, add);
    if (labels == Labels::kIgnored) return names;
    for (const NumbersInput& numbers : inputs_().numbers) std::ranges::for_each(numbers.columns, add);
    for (const ClassesInput& classes : inputs_().classes) add(classes.column);
    return names;
  }

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels) const override {
    return checkpoint().batches_padded_with(
        rows.map([this, labels](const data::Example& row) { return encode(row, labels); }), size, padding());
  }

  std::map<std::string, std::string> settings() const override {
    std::map<std::string, std::string> settings;
    call_python(
        [&] { settings = nb::cast<std::map<std::string, std::string>>(definition_.object->attr("settings")()); });
    settings["max_length"] = std::to_string(max_length());
    return settings;
  }

  // Forward pass.

  std::vector<std::string> inputs() const override {
    std::vector<std::string> names = labels();
    names.emplace_back(data::kExampleWeight);
    for (const auto& [column, value] : padding()) names.push_back(column);
    return names;
  }

  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    Forward forward;
    call_python([&] {
      nb::dict columns;
      for (const TextInput& text : inputs_().texts) {
        columns[text.name.c_str()] = nb::cast(checkpoint().inputs_of(batch, prefix_of(text)));
      }
      for (const std::string& name : labels()) columns[name.c_str()] = nb::cast(batch.at(name));
      const nb::object model = nb::cast(TracedModel(root, checkpoint()));
      const auto given = nb::cast<nb::tuple>(definition_.object->attr("forward")(model, columns));
      const auto outputs = nb::cast<nb::dict>(given[1]);
      forward = with_losses(nb::cast<Value>(given[0]), batch.find(data::kExampleWeight)->second);
      for (const auto& [name, value] : outputs) {
        forward.outputs.emplace_back(nb::cast<std::string>(name), nb::cast<Value>(value));
      }
    });
    return forward;
  }

  // Use of its outputs.

  std::unique_ptr<Metrics> metrics() const override {
    return std::make_unique<TaskMetrics>(definition_.object, labels());
  }
  std::unique_ptr<PredictionLines> prediction_lines() const override {
    return std::make_unique<TaskLines>(definition_.object);
  }
  void save(const std::filesystem::path& folder) const override {
    checkpoint().save(folder, {.architecture = definition_.architecture});
  }

 private:
  const TaskInputs& inputs_() const { return definition_.inputs; }

  std::vector<std::string> labels() const {
    std::vector<std::string> names;
    for (const NumbersInput& numbers : inputs_().numbers) names.push_back(numbers.name);
    for (const ClassesInput& classes : inputs_().classes) names.push_back(classes.name);
    return names;
  }

  std::map<std::string, double> padding() const {
    std::map<std::string, double> padding;
    for (const TextInput& text : inputs_().texts) padding.merge(checkpoint().padding(prefix_of(text)));
    return padding;
  }

  // Rows without labels have zeros in their place.
  data::Example encode(const data::Example& row, Labels labels) const {
    data::Example example(row.origin());
    for (const TextInput& text : inputs_().texts) set_text(example, row, text);
    for (const NumbersInput& input : inputs_().numbers) {
      std::vector<float> numbers(input.columns.size());
      for (size_t i = 0; labels == Labels::kRequired && i < numbers.size(); ++i) {
        numbers[i] = number_in(row, input.columns[i]);
      }
      example.set(input.name, vector_of(numbers));
    }
    for (const ClassesInput& input : inputs_().classes) {
      example.set(input.name, Tensor({}, {labels == Labels::kRequired ? class_in(row, input) : 0}));
    }
    return example;
  }

  void set_text(data::Example& example, const data::Example& row, const TextInput& text) const {
    if (text.separate) return void(checkpoint().set_ids(example, separate_ids(row, text), {}, prefix_of(text)));
    const std::string& first = row.text(text.columns.front());
    const data::Example encoded = text.columns.size() == 1
                                      ? checkpoint().encode(row, text::TextPair{first})
                                      : checkpoint().encode(row, text::TextPair{first, row.text(text.columns[1])});
    for (const data::Example::Entry& column : encoded.columns()) {
      example.set(prefix_of(text) + column.name, column.value);
    }
  }

  // Puts each part between its special tokens. No part but the last takes more than half of the room that is left for
  // it and those after it.
  std::vector<int32_t> separate_ids(const data::Example& row, const TextInput& text) const {
    std::vector<std::string> parts;
    if (!text.kind.empty()) parts.push_back(text.kind);
    for (const std::string& column : text.columns) parts.push_back(row.text(column));
    const text::Tokenizer& tokenizer = checkpoint().tokenizer();
    std::vector<int32_t> ids;
    for (int64_t i = 0; i < std::ssize(parts); ++i) {
      const int64_t left = max_length() - std::ssize(ids) - 2 * (std::ssize(parts) - i);
      const int64_t room = std::max<int64_t>(i + 1 < std::ssize(parts) ? left / 2 : left, 0);
      std::vector<int32_t> part = tokenizer.encode(parts[static_cast<size_t>(i)], {.add_special_tokens = false}).ids;
      part.resize(std::min(part.size(), static_cast<size_t>(room)));
      ids.push_back(*tokenizer.cls_id());
      ids.insert(ids.end(), part.begin(), part.end());
      ids.push_back(*tokenizer.sep_id());
    }
    return ids;
  }

  static Forward with_losses(const Value& losses, const Value& weights) {
    if (losses.shape() != weights.shape() || !is_float(losses.dtype())) {
      throw ShapeError({.where = "forward",
                        .given = "losses of type " + to_string(losses.type()),
                        .expected = "a loss for each row: float32" + to_string(weights.shape()),
                        .fix = "take the mean over the other axes, and not over the rows, which have weights"});
    }
    const Value weighted = convert(losses, DType::kFloat32) * weights;
    return {.loss_sum = sum(weighted), .weight_sum = sum(weights), .outputs = {}};
  }

  const Definition definition_;
};

struct PythonTaskOptions {
  int64_t max_length = 128;

  void describe(OptionFields& fields) { describe_max_length(fields, max_length); }
};

// The tasks that Python has added, which stay until the end of the program.
class AddedTasks {
 public:
  void add(Definition definition) {
    const std::lock_guard lock(mutex_);
    const std::string name = definition.name;
    const bool is_new = !definitions_.contains(name);
    const std::vector<std::string> known = tasks::task_names();
    if (is_new && std::ranges::find(known, name) != known.end()) {
      throw UsageError({.where = "the name of a task",
                        .given = in_quotes(name),
                        .expected = "a name that no task of the library has"});
    }
    const std::string architecture = definition.architecture;
    definitions_.insert_or_assign(name, std::move(definition));
    if (is_new) tasks_.push_back(std::make_unique<AddedTask>(spec_of(name, architecture)));
  }

 private:
  Definition definition_of(const std::string& name) {
    const std::lock_guard lock(mutex_);
    return definitions_.at(name);
  }

  TaskSpec spec_of(const std::string& name, const std::string& architecture) {
    return task_spec<PythonTaskOptions>(
        {.name = name,
         .classes = {architecture},
         .run_options = {RunOption::kPadding},
         .make = [this, name](const TaskContext& context, const PythonTaskOptions& options) {
           return std::make_unique<PythonTask>(context.folder, options.max_length, definition_of(name));
         }});
  }

  std::mutex mutex_;
  std::map<std::string, Definition> definitions_;
  std::vector<std::unique_ptr<AddedTask>> tasks_;
};

}  // namespace

SharedObject shared(nb::object object) {
  return {std::make_unique<nb::object>(std::move(object)).release(), [](const nb::object* one) {
            const nb::gil_scoped_acquire locked;
            delete one;
          }};
}

void add_task(const std::string& name, const std::string& architecture, const TaskInputs& inputs, nb::object object) {
  static AddedTasks& added = *std::make_unique<AddedTasks>().release();  // objects of Python outlive the interpreter
  added.add({.name = name, .architecture = architecture, .inputs = inputs, .object = shared(std::move(object))});
}

}  // namespace portatune::python
