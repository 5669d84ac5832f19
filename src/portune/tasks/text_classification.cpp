#include "portune/text_classification.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "portune/base/message.h"
#include "portune/error.h"
#include "portune/ops.h"
#include "portune/tasks/classification_lines.h"
#include "portune/losses.h"
#include "portune/tasks/classification_metrics.h"
#include "portune/tasks/label_names.h"
#include "portune/tasks/objectives.h"

namespace portune {
namespace {

constexpr std::string_view kSigmoidProblem = "multi_label_classification";
constexpr std::string_view kRegressionProblem = "regression";
constexpr std::string_view kSoftmaxProblem = "single_label_classification";

std::string_view name_of(Head head) {
  return head == Head::kSoftmax ? "softmax" : head == Head::kSigmoid ? "sigmoid" : "regression";
}

Head head_in(const io::JsonObject& config) {
  const std::string problem = config.get_string_or("problem_type", kSoftmaxProblem);
  if (problem == kSoftmaxProblem) return Head::kSoftmax;
  if (problem == kRegressionProblem) return Head::kRegression;
  const size_t labels = config.get_string_map("id2label").size();
  if (problem == kSigmoidProblem && labels == 1) return Head::kSigmoid;
  throw CheckpointError({.where = "config.json, problem_type",
                         .given = "\"" + problem + "\" with " + std::to_string(labels) + " labels",
                         .expected = "one label for each text: \"single_label_classification\", \"regression\", or "
                                     "\"multi_label_classification\" with a single label, which is a sigmoid head",
                         .fix = "to train a new head instead, choose softmax or sigmoid"});
}

void check_labels(Head head, const std::vector<std::string>& labels) {
  if (head == Head::kRegression) return;
  if (head == Head::kSigmoid && labels != std::vector<std::string>{"0", "1"}) {
    throw UsageError({.where = "labels of a sigmoid head",
                      .given = list_of(labels),
                      .expected = "0 and 1",
                      .fix = "choose a softmax head, or write the labels as 0 and 1"});
  }
  tasks::require_classes(labels);
}

}  // namespace

struct TextClassification::Impl {
  Impl(const TextCheckpoint& from, TextClassificationOptions given)
      : options(std::move(given)),
        checkpoint(from),
        head(options.head.value_or(head_in(checkpoint.config()))),
        labels(head == Head::kRegression ? std::vector<std::string>()
                                         : tasks::in_stored_order(options.labels, stored_labels())) {
    check_labels(head, labels);
  }

  // A sigmoid head stores the name of its one logit; the labels that it tells apart are 0 and 1.
  std::vector<std::string> stored_labels() const {
    return head == Head::kSigmoid ? std::vector<std::string>{"0", "1"} : tasks::labels_in(checkpoint.config());
  }

  int64_t logits() const { return head != Head::kSoftmax ? 1 : static_cast<int64_t>(labels.size()); }

  float number(const data::Example& row) const {
    const std::string& text = row.text(options.label_column);
    float value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
    throw DataError({.where = to_string(row.origin()),
                     .given = "\"" + text + "\" in column \"" + options.label_column + "\"",
                     .expected = "a number, as regression learns it"});
  }

  Tensor label_of(const data::Example& row) const {
    return head == Head::kRegression ? Tensor({}, {number(row)})
                                     : Tensor({}, {tasks::label_id(row, options.label_column, labels)});
  }
  // Of a row that is only predicted.
  Tensor no_label() const { return Tensor({head == Head::kRegression ? DType::kFloat32 : DType::kInt32, {}}); }

  TextClassificationOptions options;
  const TextCheckpoint& checkpoint;
  Head head;
  std::vector<std::string> labels;
};

TextClassification::TextClassification(const std::filesystem::path& model, TextClassificationOptions options)
    : TextTask(model, options.max_length), impl_(std::make_unique<Impl>(checkpoint(), std::move(options))) {}
TextClassification::~TextClassification() = default;

const std::vector<std::string>& TextClassification::labels() const { return impl_->labels; }
Head TextClassification::head() const { return impl_->head; }

std::vector<std::string> TextClassification::columns(Labels labels) const {
  std::vector<std::string> columns = {impl_->options.text_column};
  if (!impl_->options.text_pair_column.empty()) columns.push_back(impl_->options.text_pair_column);
  if (labels == Labels::kRequired) columns.push_back(impl_->options.label_column);
  return columns;
}

data::Example TextClassification::encode(const data::Example& row, Labels labels) const {
  text::TextPair texts{.first = row.text(impl_->options.text_column)};
  if (!impl_->options.text_pair_column.empty()) texts.second = row.text(impl_->options.text_pair_column);
  data::Example example = checkpoint().encode(row, texts);
  example.set("labels", labels == Labels::kRequired ? impl_->label_of(row) : impl_->no_label());
  return example;
}

data::Dataset TextClassification::batches(const data::Dataset& rows, int64_t size, Labels labels) const {
  return checkpoint().batches(rows.map([this, labels](const data::Example& row) { return encode(row, labels); }), size);
}

std::vector<TextClassification::Prediction> TextClassification::predictions(const data::Example& batch,
                                                                            const data::Example& outputs) const {
  const std::span<const float> logits = outputs.tensor("logits").as<float>();
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const size_t width = static_cast<size_t>(impl_->logits());
  std::vector<Prediction> predictions;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    Prediction prediction;
    prediction.logits.assign(logits.begin() + row * width, logits.begin() + (row + 1) * width);
    if (impl_->head == Head::kRegression) {
      predictions.push_back(std::move(prediction));
      continue;
    }
    prediction.probabilities = tasks::probabilities(impl_->head, prediction.logits);
    prediction.label = impl_->labels[static_cast<size_t>(tasks::predicted_class(impl_->head, prediction.logits))];
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

std::unique_ptr<PredictionLines> TextClassification::prediction_lines() const {
  return std::make_unique<tasks::ClassificationLines>(*this);
}

std::map<std::string, std::string> TextClassification::settings() const {
  const TextClassificationOptions& options = impl_->options;
  std::map<std::string, std::string> settings = {{"max_length", std::to_string(options.max_length)},
                                                 {"head", std::string(name_of(impl_->head))},
                                                 {"text_column", options.text_column},
                                                 {"label_column", options.label_column}};
  if (!options.text_pair_column.empty()) settings["text_pair_column"] = options.text_pair_column;
  return settings;
}

std::vector<std::string> TextClassification::inputs() const { return checkpoint().inputs({"labels"}); }

Forward TextClassification::forward(const nn::Scope& root, const Columns& batch) const {
  const models::TextModel& model = checkpoint().model();
  const models::TextInputs in = checkpoint().inputs_of(batch);
  const Value logits = model.sequence_logits(root, in, model.hidden_states(root, in).back(), impl_->logits());
  const Value &labels = batch.at("labels"), &weights = batch.at(std::string(data::kExampleWeight));
  if (impl_->head == Head::kRegression) {
    return tasks::sequence_classification(tasks::Problem::kRegression, logits, reshape(labels, {-1, 1}), weights);
  }
  const Value losses = impl_->head == Head::kSigmoid ? sigmoid_cross_entropy(reshape(logits, {-1}), labels)
                                                     : softmax_cross_entropy(logits, labels);
  return {.loss_sum = sum(losses * weights), .weight_sum = sum(weights), .outputs = {{"logits", logits}}};
}

std::unique_ptr<Metrics> TextClassification::metrics() const {
  if (impl_->head == Head::kRegression) return std::make_unique<tasks::RegressionMetrics>();
  return std::make_unique<tasks::ClassificationMetrics>(impl_->head, static_cast<int64_t>(impl_->labels.size()));
}

void TextClassification::save(const std::filesystem::path& folder, std::span<const NamedTensorView> weights) const {
  ConfigChanges changes{.architecture = checkpoint().model().class_name(models::HeadKind::kSequenceClassification)};
  switch (impl_->head) {
    case Head::kSoftmax:
      changes.labels = impl_->labels;
      changes.problem_type = kSoftmaxProblem;
      break;
    case Head::kSigmoid:
      changes.labels = {impl_->labels[1]};
      changes.problem_type = kSigmoidProblem;
      break;
    case Head::kRegression:
      changes.labels = {"LABEL_0"};  // transformers counts the outputs by them
      changes.problem_type = kRegressionProblem;
  }
  checkpoint().save(folder, std::move(changes), weights);
}

}  // namespace portune
