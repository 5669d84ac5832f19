#include "portatune/tasks/files/file_classes.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/data/read/file_kinds.h"
#include "portatune/error.h"
#include "portatune/io/text/json.h"
#include "portatune/sources.h"
#include "portatune/tasks/metrics/classification_metrics.h"
#include "portatune/tasks/metrics/error_analyzers.h"
#include "portatune/tasks/objectives/class_losses.h"
#include "portatune/tasks/objectives/class_weights.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/results/classification_lines.h"
#include "portatune/tasks/rows/found_classes.h"
#include "portatune/tasks/rows/json_number.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/row_labels.h"

namespace portatune::tasks {
namespace {

class FileLines final : public PredictionLines {
 public:
  FileLines(const FileClasses& classes, const std::string& key) : classes_(classes), key_(key) {}

  std::string take(const data::Example& batch, const data::Example& outputs) override {
    std::string lines;
    for (const auto& [file, label, probabilities, logits, embedding] : classes_.predictions(batch, outputs)) {
      nlohmann::ordered_json line = {{key_, file}};
      line.update(classes_json(label, classes_.labels(), probabilities, logits));
      if (!embedding.empty()) line["embedding"] = numbers(embedding);
      lines += io::line_of(line);
    }
    return lines;
  }

 private:
  const FileClasses& classes_;
  const std::string& key_;
};

}  // namespace

data::Dataset read_labelled_files(const std::vector<std::string>& files, const std::string& file_column,
                                  const std::string& label_column, data::TableOptions table, const char* noun,
                                  const std::function<data::Dataset(const std::string& folder)>& read_folder) {
  const auto is_folder = [](const std::string& file) {
    return std::filesystem::is_directory(file) && !data::holds_tables(file);
  };
  if (std::ranges::any_of(files, is_folder)) {
    if (files.size() == 1) return read_folder(files[0]);
    throw UsageError({.where = noun, .given = list_of(files), .expected = "one folder, or tables"});
  }
  table.columns = {file_column};
  if (!label_column.empty()) table.columns.push_back(label_column);
  table.single_values = table.columns;
  return data::read_table(files, std::move(table));
}

void learn_classes(const TaskContext& context, const data::Dataset& rows, const std::string& label_column,
                   const ClassWeights& weights, std::vector<std::string>& labels, LossOptions& loss) {
  if (labels.empty()) {
    labels = classes_of_rows(context, rows, label_column);
    require_several_classes(labels, context, label_column);
  }
  const RowLabels row_labels = one_class_a_row(in_order_of_model(labels, context), label_column);
  loss = with_class_weights(loss, weights, Head::kSoftmax, row_labels, context, rows);
}

FileClasses::FileClasses(Options options, const io::JsonObject& config) : options_(std::move(options)) {
  options_.labels = in_stored_order(options_.labels, labels_in(config));
  require_classes(options_.labels);
  check(options_.loss, Head::kSoftmax, options_.labels.size());
  metrics();  // refuses unknown names
}

std::vector<std::string> FileClasses::columns(RowTask::Labels labels) const {
  if (labels == RowTask::Labels::kIgnored) return {options_.file_column};
  return {options_.file_column, options_.label_column};
}

RowLabels FileClasses::row_labels() const { return one_class_a_row(labels(), options_.label_column); }

std::map<std::string, std::string> FileClasses::settings() const {
  std::map<std::string, std::string> settings = settings_of(options_.loss);
  settings["label_column"] = options_.label_column;
  return settings;
}

data::Example FileClasses::example_of(const data::Example& row, std::string file_name, RowTask::Labels wanted) const {
  data::Example example(row.origin());
  example.set(options_.file, std::move(file_name));
  const int32_t label =
      wanted == RowTask::Labels::kRequired ? label_id(row, options_.label_column, options_.labels) : 0;
  example.set("labels", Tensor({}, {label}));
  return set_weight_of(row, example);
}

Forward FileClasses::forward(const Value& logits, const Columns& batch, const nn::Scope& root) const {
  return sequence_classification(Problem::kSingleLabel, logits, batch.at("labels"),
                                 batch.at(std::string(data::kExampleWeight)), loss_options(options_.loss, root));
}

std::unique_ptr<Metrics> FileClasses::metrics() const {
  const std::vector<std::string> more =
      labels().size() > 5 ? std::vector<std::string>{"top_5_accuracy"} : std::vector<std::string>();
  return std::make_unique<ClassificationMetrics>(Head::kSoftmax, std::ssize(labels()), options_.metrics, more);
}

std::unique_ptr<ErrorAnalyzer> FileClasses::error_analyzer(int64_t max_mistakes) const {
  return class_errors(Head::kSoftmax, labels(), max_mistakes);
}

std::vector<FileClasses::Prediction> FileClasses::predictions(const data::Example& batch,
                                                              const data::Example& outputs) const {
  const std::span<const float> logits = outputs.tensor("logits").as<float>();
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const size_t classes = labels().size();
  const std::span<const float> embeddings =
      outputs.has(kEmbeddings) ? outputs.tensor(kEmbeddings).as<float>() : std::span<const float>();
  const size_t width = embeddings.size() / weights.size();
  std::vector<Prediction> predictions;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    const std::span<const float> of_row = logits.subspan(row * classes, classes);
    const auto label = static_cast<size_t>(predicted_class(Head::kSoftmax, of_row));
    predictions.push_back({batch.texts(options_.file)[row],
                           labels()[label],
                           probabilities(Head::kSoftmax, of_row),
                           {of_row.begin(), of_row.end()},
                           embeddings.subspan(row * width, width)});
  }
  return predictions;
}

std::unique_ptr<PredictionLines> FileClasses::prediction_lines() const {
  return std::make_unique<FileLines>(*this, options_.file);
}

}  // namespace portatune::tasks
