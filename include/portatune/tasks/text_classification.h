// Text classification: labels, or a number, for a text or a pair of texts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/option_fields.h"
#include "portatune/tasks/losses.h"
#include "portatune/tasks/text_task.h"

namespace portatune {

struct TaskSpec;

enum class Head {
  kSoftmax,     ///< a logit per class, softmax cross-entropy
  kSigmoid,     ///< one logit for label 1 against label 0, binary cross-entropy
  kMultiLabel,  ///< a logit per label, any of which may apply, mean of binary cross-entropies
  kRegression,  ///< one number, or several, mean of squared errors
};

/// The names of heads in options. Those that end with "classification" are from transformers.
constexpr auto names_of(Head) {
  return std::to_array<NamedValue<Head>>({{Head::kSoftmax, "softmax"},
                                          {Head::kSigmoid, "sigmoid"},
                                          {Head::kRegression, "regression"},
                                          {Head::kSoftmax, "single_label_classification"},
                                          {Head::kMultiLabel, "multi_label_classification"}});
}

struct TextClassificationOptions {
  std::string text_column = "text";
  std::string text_pair_column;  ///< column of the second text; empty: there is one text
  std::string label_column = "label";
  /// Columns of 0 and 1 with the names of the labels, in place of the label column; for a multi-label head. With a
  /// regression head they are columns of numbers, all of which are predicted.
  std::vector<std::string> label_columns;
  /// Separator of several labels in the label column, unless it holds a JSON list.
  std::string label_separator = ",";
  int64_t max_length = 128;  ///< tokens of an example, special ones included; longer texts are cut
  /// Default: the checkpoint's; with label columns multi-label, unless the checkpoint's is regression.
  std::optional<Head> head;
  /// The head is that of transformers' ...ForNextSentencePrediction: label 0 for a second text that follows the first
  /// one, label 1 for another one. It needs a second text, two labels and a softmax head.
  bool predicts_next_sentence = false;
  /// Names of the metrics in the order of reports (docs/results/metrics.md); {"all"}: every one; empty: the usual ones.
  std::vector<std::string> metrics = {};
  LossOptions loss = {};
  /// Names of the classes in the order of their ids, as labels_of() finds them; default: the checkpoint's. If the
  /// checkpoint has the same classes, its order is kept, so that its classifier keeps its meaning.
  /// A sigmoid head has "0" and "1"; unused for regression.
  std::vector<std::string> labels;
};

/// The options of the task "text-classification" in runs, which finds head, labels and weights in the rows.
struct TextClassificationRunOptions : TextClassificationOptions {
  ClassWeights weights;

  void describe(OptionFields& fields);
};
const TaskSpec& text_classification_spec();

struct LabelScan {
  std::vector<std::string> labels;
  int64_t examples = 0;
};
/// The distinct labels of a column: integers in numeric order, other names in alphabetical order.
/// errors  DataError for an empty label, or more than 1,000 labels
LabelScan labels_of(const data::Dataset& rows, const std::string& column);
/// The distinct labels of a column whose rows have any number of labels: a JSON list, or a text with separators.
LabelScan label_sets_of(const data::Dataset& rows, const std::string& column, const std::string& separator);

/// Labels, or a number, for a text or a pair of texts: an encoder with a classification head of a Hugging Face model
/// folder.
class TextClassification final : public TextTask {
 public:
  /// errors  CheckpointError, NotFoundError for a faulty folder; UsageError for options that do not fit it
  TextClassification(const ModelSource& model, TextClassificationOptions options);
  ~TextClassification() override;

  /// Names of the classes or labels; of regression those of several numbers, none for one number.
  const std::vector<std::string>& labels() const;
  Head head() const;

  /// The arrays of a row of texts or token ids: int32 [length] input_ids, attention_mask and, if the model reads them,
  /// token_type_ids; labels: int32, float32 for regression, float32 [labels] for several labels or numbers.
  /// errors  DataError that names the row for a missing column, a label outside the set, text that is not UTF-8
  data::Example encode(const data::Example& row, Labels labels = Labels::kRequired) const;

  struct Prediction {
    std::string label;                 ///< empty for regression and for several labels
    std::vector<std::string> labels;   ///< for several labels: those with a probability of at least one half
    std::vector<float> probabilities;  ///< of labels(); sigmoid: of label 1 alone; regression: empty
    std::vector<float> logits;
  };
  /// The predictions for the rows of a batch, without the rows that only fill it up.
  std::vector<Prediction> predictions(const data::Example& batch, const data::Example& outputs) const;

  std::vector<std::string> columns(Labels labels) const override;
  RowLabels row_labels() const override;
  /// Reads token ids where rows have them in place of the text: see TextCheckpoint::encode_ids.
  data::Dataset read(const std::vector<std::string>& files, Labels labels,
                     data::TableOptions table = {}) const override;
  /// Batches padded to max_length.
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const override;
  bool can_be_packed() const override { return checkpoint().can_be_packed(); }
  data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                               const data::ShuffleOptions& order) const override;
  std::optional<int64_t> cut_texts(const data::Example& row) const override;
  /// {"label": ..., "score": its probability, "scores": {label: probability}, "logits": [...]}; several labels give
  /// {"labels": [...], "scores": ..., "logits": ...}; regression gives {"score": the number}, or {"scores": {name:
  /// number}} for several.
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  std::map<std::string, std::string> settings() const override;

  std::vector<std::string> inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override;
  std::unique_ptr<ErrorAnalyzer> error_analyzer(int64_t max_mistakes) const override;
  void save(const std::filesystem::path& folder) const override;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace portatune
