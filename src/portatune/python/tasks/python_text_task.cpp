// A task of Python on a text model.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <utility>

#include "portatune/error.h"
#include "portatune/python/tasks/task_functions.h"
#include "portatune/python/tasks/traced_model.h"
#include "portatune/tasks/text_task.h"

namespace nb = nanobind;

namespace portatune::python {
namespace {

std::string prefix_of(const TextInput& text) { return text.name + "_"; }

class PythonTextTask final : public TextTask {
 public:
  PythonTextTask(const ModelSource& model, int64_t max_length, Definition definition)
      : TextTask(model, max_length), functions_(std::move(definition)) {
    const bool needs_ends = std::ranges::any_of(texts(), [](const TextInput& text) { return text.separate; });
    if (!needs_ends || (checkpoint().tokenizer().cls_id() && checkpoint().tokenizer().sep_id())) return;
    throw CheckpointError({.where = model.folder.string(),
                           .given = "a tokenizer without cls_token and sep_token",
                           .expected = "an encoder such as BERT or RoBERTa, for texts with separate columns"});
  }

  // Conversion of rows to examples.

  std::vector<std::string> columns(Labels labels) const override {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const TextInput& text : texts()) std::ranges::for_each(text.columns, add);
    if (labels == Labels::kRequired) std::ranges::for_each(functions_.label_columns(), add);
    return names;
  }

  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels) const override {
    return checkpoint().batches_padded_with(
        encoded(rows, name_of(labels), [this, labels](const data::Example& row) { return encode(row, labels); }), size,
        padding());
  }

  std::map<std::string, std::string> settings() const override {
    std::map<std::string, std::string> settings = functions_.settings();
    settings["max_length"] = std::to_string(max_length());
    return settings;
  }

  // Forward pass.

  std::vector<std::string> inputs() const override {
    std::vector<std::string> names = functions_.labels();
    names.emplace_back(data::kExampleWeight);
    for (const auto& [column, value] : padding()) names.push_back(column);
    return names;
  }

  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    return functions_.forward(batch, [&](nb::dict& columns) {
      for (const TextInput& text : texts()) {
        columns[text.name.c_str()] = nb::cast(checkpoint().inputs_of(batch, prefix_of(text)));
      }
      return nb::cast(TracedModel(root, checkpoint().model()));
    });
  }

  // Use of its outputs.

  std::unique_ptr<Metrics> metrics() const override { return functions_.metrics(); }
  std::unique_ptr<PredictionLines> prediction_lines() const override { return functions_.prediction_lines(); }
  void save(const std::filesystem::path& folder) const override {
    checkpoint().save(folder, {.architecture = functions_.architecture()});
  }

 private:
  const std::vector<TextInput>& texts() const { return functions_.inputs().texts; }

  std::map<std::string, double> padding() const {
    std::map<std::string, double> padding;
    for (const TextInput& text : texts()) padding.merge(checkpoint().padding(prefix_of(text)));
    return padding;
  }

  data::Example encode(const data::Example& row, Labels labels) const {
    data::Example example(row.origin());
    for (const TextInput& text : texts()) set_text(example, row, text);
    functions_.set_labels(example, row, labels);
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

  const TaskFunctions functions_;
};

}  // namespace

std::unique_ptr<RowTask> python_text_task(const ModelSource& model, int64_t max_length, Definition definition) {
  return std::make_unique<PythonTextTask>(model, max_length, std::move(definition));
}

}  // namespace portatune::python
