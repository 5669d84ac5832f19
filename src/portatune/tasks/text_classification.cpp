#include "portatune/tasks/text_classification.h"

#include <algorithm>
#include <cmath>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/ops.h"
#include "portatune/sources.h"
#include "portatune/tasks/losses.h"
#include "portatune/tasks/metrics/classification_metrics.h"
#include "portatune/tasks/metrics/error_analyzers.h"
#include "portatune/tasks/objectives/class_losses.h"
#include "portatune/tasks/objectives/heads.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/objectives/row_weight.h"
#include "portatune/tasks/results/classification_lines.h"
#include "portatune/tasks/rows/label_names.h"
#include "portatune/tasks/rows/label_sets.h"
#include "portatune/tasks/rows/row_labels.h"
#include "portatune/tasks/rows/text_rows.h"
#include "portatune/tasks/rows/token_ids.h"

namespace portatune {
namespace {

Head head_of(const TextClassificationOptions& options, const io::JsonObject& config) {
  if (options.head) return *options.head;
  const Head stored = tasks::head_in(config);
  return options.label_columns.empty() || stored == Head::kRegression ? stored : Head::kMultiLabel;
}

// The names of a head's labels before they get the order of their ids; empty: those of the checkpoint. Regression on
// one number has none.
std::vector<std::string> wanted_labels(Head head, const TextClassificationOptions& options) {
  return head == Head::kRegression ? options.label_columns : options.labels;
}

void check_labels(Head head, const std::vector<std::string>& labels) {
  if (head == Head::kRegression) return tasks::require_utf8(labels);
  if (head == Head::kSigmoid && labels != std::vector<std::string>{"0", "1"}) {
    throw UsageError({.where = "labels of a sigmoid head",
                      .given = list_of(labels),
                      .expected = "0 and 1",
                      .fix = "choose a softmax head, or write the labels as 0 and 1"});
  }
  tasks::require_classes(labels);
}

void check_columns(Head head, const std::vector<std::string>& columns, const std::vector<std::string>& labels) {
  if (columns.empty()) return;
  if (head != Head::kMultiLabel && head != Head::kRegression) {
    throw UsageError({.where = "label_columns",
                      .given = "columns for several labels with a " + std::string(tasks::name_of(head)) + " head",
                      .expected = "a head for several labels or for regression"});
  }
  if (columns.size() == labels.size() && std::ranges::is_permutation(columns, labels)) return;
  throw UsageError({.where = "label_columns", .given = list_of(columns), .expected = "the labels: " + list_of(labels)});
}

// Of the architectures, transformers has this class for BERT alone.
void check_next_sentence(const TextClassificationOptions& options, Head head, const std::vector<std::string>& labels,
                         const models::TextModel& model) {
  const bool is_bert = model.facts().class_prefix == "Bert";
  if (is_bert && head == Head::kSoftmax && labels.size() == 2 && !options.text_pair_column.empty()) return;
  throw UsageError({.where = "prediction of next sentences",
                    .given = models::name_of_checkpoint(model.facts()) + ", " +
                             (options.text_pair_column.empty() ? "no column of a second text, " : "") + "the labels " +
                             list_of(labels),
                    .expected = "a BERT checkpoint, two texts, and two labels: one for a second text that follows the "
                                "first one, then one for another text",
                    .fix = is_bert ? "" : "use the task text-classification for a new head on pairs of texts"});
}

}  // namespace

struct TextClassification::Impl {
  Impl(const TextCheckpoint& from, TextClassificationOptions given)
      : options(std::move(given)),
        checkpoint(from),
        head(head_of(options, checkpoint.config())),
        labels(tasks::in_stored_order(wanted_labels(head, options), stored_labels())) {
    check_labels(head, labels);
    check_columns(head, options.label_columns, labels);
    tasks::check(options.loss, head, labels.size());
    if (options.predicts_next_sentence) check_next_sentence(options, head, labels, checkpoint.model());
    if (head == Head::kRegression) options.label_columns = labels;
  }

  // A sigmoid head stores the name of its one logit; its labels are 0 and 1. A chosen regression head has the label
  // columns that are given with it.
  std::vector<std::string> stored_labels() const {
    if (head == Head::kSigmoid) return {"0", "1"};
    const std::vector<std::string> stored = tasks::labels_in(checkpoint.config());
    const bool is_one_number = options.head ? options.label_columns.empty() : stored.size() == 1;
    return head == Head::kRegression && is_one_number ? std::vector<std::string>() : stored;
  }

  models::HeadKind kind() const {
    return options.predicts_next_sentence ? models::HeadKind::kPreTraining : models::HeadKind::kSequenceClassification;
  }
  std::string architecture() const {
    const models::TextModel& model = checkpoint.model();
    return options.predicts_next_sentence ? model.facts().class_prefix + "ForNextSentencePrediction"
                                          : model.class_name(kind());
  }

  int64_t logits() const {
    const bool is_one = head == Head::kSigmoid || labels.empty();
    return is_one ? 1 : static_cast<int64_t>(labels.size());
  }

  std::vector<std::string> text_columns() const {
    std::vector<std::string> columns = {options.text_column};
    if (!options.text_pair_column.empty()) columns.push_back(options.text_pair_column);
    return columns;
  }
  std::vector<std::string> with_labels(std::vector<std::string> columns, Labels wanted) const {
    if (wanted == Labels::kIgnored) return columns;
    if (options.label_columns.empty()) columns.push_back(options.label_column);
    columns.insert(columns.end(), options.label_columns.begin(), options.label_columns.end());
    return columns;
  }

  bool has_ids(const data::Example& row) const { return row.has(tasks::kInputIds) && !row.has(options.text_column); }
  text::TextPair texts(const data::Example& row) const {
    text::TextPair texts{.first = row.text(options.text_column)};
    if (!options.text_pair_column.empty()) texts.second = row.text(options.text_pair_column);
    return texts;
  }

  static float number(const data::Example& row, const std::string& column) {
    const std::string& text = row.text(column);
    if (const auto value = number_in<float>(text); value && std::isfinite(*value)) return *value;
    throw DataError({.where = to_string(row.origin()),
                     .given = "\"" + text + "\" in column \"" + column + "\"",
                     .expected = "a number, the label of regression"});
  }

  Tensor numbers(const data::Example& row) const {
    if (labels.empty()) return Tensor({}, {number(row, options.label_column)});
    std::vector<float> numbers;
    for (const std::string& column : labels) numbers.push_back(number(row, column));
    return Tensor({std::ssize(numbers)}, std::span<const float>(numbers));
  }

  Tensor label_of(const data::Example& row) const {
    if (head == Head::kRegression) return numbers(row);
    if (head != Head::kMultiLabel) return Tensor({}, {tasks::label_id(row, options.label_column, labels)});
    if (!options.label_columns.empty()) return tasks::indicator_columns(row, labels);
    return tasks::indicators(row, tasks::label_set(row, options.label_column, options.label_separator), labels);
  }
  // The label of a row for prediction only.
  Tensor no_label() const {
    if (head == Head::kMultiLabel) return tasks::indicators({}, {}, labels);
    if (head != Head::kRegression) return Tensor({DType::kInt32, {}});
    return Tensor({DType::kFloat32, labels.empty() ? Shape{} : Shape{logits()}});
  }

  Prediction prediction(std::span<const float> logits) const {
    Prediction result;
    result.logits.assign(logits.begin(), logits.end());
    if (head == Head::kRegression) return result;
    result.probabilities = tasks::probabilities(head, logits);
    if (head != Head::kMultiLabel) {
      result.label = labels[static_cast<size_t>(tasks::predicted_class(head, logits))];
      return result;
    }
    for (size_t i = 0; i < labels.size(); ++i) {
      if (logits[i] >= 0) result.labels.push_back(labels[i]);
    }
    return result;
  }

  TextClassificationOptions options;
  const TextCheckpoint& checkpoint;
  Head head;
  std::vector<std::string> labels;
};

TextClassification::TextClassification(const ModelSource& model, TextClassificationOptions options)
    : TextTask(model, options.max_length), impl_(std::make_unique<Impl>(checkpoint(), std::move(options))) {
  metrics();  // refuses unknown names
}
TextClassification::~TextClassification() = default;

const std::vector<std::string>& TextClassification::labels() const { return impl_->labels; }
Head TextClassification::head() const { return impl_->head; }

std::vector<std::string> TextClassification::columns(Labels labels) const {
  return impl_->with_labels(impl_->text_columns(), labels);
}

RowLabels TextClassification::row_labels() const {
  return tasks::row_labels(impl_->options, impl_->head, impl_->labels);
}

data::Dataset TextClassification::read(const std::vector<std::string>& files, Labels labels,
                                       data::TableOptions table) const {
  table.columns = impl_->with_labels(tasks::text_or_id_columns(files, table, impl_->text_columns()), labels);
  table.single_values = columns(labels);
  if (impl_->head == Head::kMultiLabel) std::erase(table.single_values, impl_->options.label_column);
  return data::read_table(files, std::move(table));
}

data::Example TextClassification::encode(const data::Example& row, Labels labels) const {
  data::Example example =
      impl_->has_ids(row) ? checkpoint().encode_ids(row) : checkpoint().encode(row, impl_->texts(row));
  example.set("labels", labels == Labels::kRequired ? impl_->label_of(row) : impl_->no_label());
  return tasks::set_weight_of(row, example);
}

data::Dataset TextClassification::batches(const data::Dataset& rows, int64_t size, Labels labels) const {
  return checkpoint().batches(
      encoded(rows, name_of(labels), [this, labels](const data::Example& row) { return encode(row, labels); }), size);
}

data::Dataset TextClassification::packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                                                 const data::ShuffleOptions& order) const {
  return checkpoint().packed_batches(encoded(rows.shuffle(order).named("shuffle"), name_of(Labels::kRequired),
                                             [this](const data::Example& row) { return encode(row); }),
                                     shapes);
}

std::optional<int64_t> TextClassification::cut_texts(const data::Example& row) const {
  return !impl_->has_ids(row) && checkpoint().is_cut(impl_->texts(row)) ? 1 : 0;
}

std::vector<TextClassification::Prediction> TextClassification::predictions(const data::Example& batch,
                                                                            const data::Example& outputs) const {
  const std::span<const float> logits = outputs.tensor("logits").as<float>();
  const std::span<const float> weights = batch.tensor(data::kExampleWeight).as<float>();
  const size_t width = static_cast<size_t>(impl_->logits());
  std::vector<Prediction> predictions;
  for (size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    predictions.push_back(impl_->prediction(logits.subspan(row * width, width)));
  }
  return predictions;
}

std::unique_ptr<PredictionLines> TextClassification::prediction_lines() const {
  return std::make_unique<tasks::ClassificationLines>(*this);
}

std::map<std::string, std::string> TextClassification::settings() const {
  const TextClassificationOptions& options = impl_->options;
  std::map<std::string, std::string> settings = {{"max_length", std::to_string(options.max_length)},
                                                 {"head", std::string(tasks::name_of(impl_->head))},
                                                 {"text_column", options.text_column},
                                                 {"label_column", options.label_column}};
  if (!options.text_pair_column.empty()) settings["text_pair_column"] = options.text_pair_column;
  if (!options.label_columns.empty()) settings["label_column"] = list_of(options.label_columns);
  if (impl_->head == Head::kMultiLabel) settings["label_separator"] = options.label_separator;
  settings.merge(tasks::settings_of(options.loss));
  return settings;
}

std::vector<std::string> TextClassification::inputs() const { return checkpoint().inputs({"labels"}); }

Forward TextClassification::forward(const nn::Scope& root, const Columns& batch) const {
  const models::TextModel& model = checkpoint().model();
  const tasks::TextRows texts(checkpoint(), batch);
  const Value x = texts.to_texts(model.body().hidden_states(root, texts.rows()).back());
  const Value logits =
      model.logits(impl_->kind(), root, {.x = x, .text = texts.texts(), .num_labels = impl_->logits()});
  const bool one_number = impl_->head != Head::kSoftmax && impl_->logits() == 1;
  const Value labels = one_number ? reshape(batch.at("labels"), {-1, 1}) : batch.at("labels");
  return tasks::sequence_classification(tasks::problem_of(impl_->head), logits, labels,
                                        batch.at(std::string(data::kExampleWeight)),
                                        tasks::loss_options(impl_->options.loss, root));
}

std::unique_ptr<Metrics> TextClassification::metrics() const {
  const std::vector<std::string>& names = impl_->options.metrics;
  const auto labels = static_cast<int64_t>(impl_->labels.size());
  if (impl_->head == Head::kRegression) return std::make_unique<tasks::RegressionMetrics>(impl_->logits(), names);
  if (impl_->head == Head::kMultiLabel) return std::make_unique<tasks::MultiLabelMetrics>(labels, names);
  return std::make_unique<tasks::ClassificationMetrics>(impl_->head, labels, names);
}

std::unique_ptr<ErrorAnalyzer> TextClassification::error_analyzer(int64_t max_mistakes) const {
  if (impl_->head == Head::kRegression) return tasks::number_errors(max_mistakes);
  if (impl_->head == Head::kMultiLabel) return tasks::label_errors(impl_->labels, max_mistakes);
  return tasks::class_errors(impl_->head, impl_->labels, max_mistakes);
}

void TextClassification::save(const std::filesystem::path& folder) const {
  ConfigChanges changes{.architecture = impl_->architecture()};
  changes.problem_type = tasks::problem_type_of(impl_->head);
  changes.labels = impl_->labels;
  if (impl_->head == Head::kSigmoid) changes.labels = {impl_->labels[1]};
  if (impl_->labels.empty()) changes.labels = {"LABEL_0"};  // gives transformers the number of outputs
  checkpoint().save(folder, std::move(changes));
}

}  // namespace portatune
