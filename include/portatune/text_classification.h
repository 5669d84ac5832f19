// Text classification: labels, or a number, for a text or a pair of texts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/text_task.h"

namespace portatune {

enum class Head {
  kSoftmax,     ///< a logit per class, softmax cross-entropy
  kSigmoid,     ///< one logit, that of label 1 against label 0, binary cross-entropy
  kMultiLabel,  ///< a logit per label, each of which may apply, mean of binary cross-entropies
  kRegression,  ///< one number, squared error
};

struct TextClassificationOptions {
  std::string text_column = "text";
  std::string text_pair_column;  ///< of the second text; empty: there is one text
  std::string label_column = "label";
  /// With a multi-label head: columns of 0 and 1 with the names of the labels, in place of the label column.
  std::vector<std::string> label_columns;
  /// Between several labels in the label column, where that is no JSON list.
  std::string label_separator = ",";
  int64_t max_length = 128;  ///< tokens of an example, special ones included; longer texts are cut
  std::optional<Head> head;  ///< default: that of the checkpoint; multi-label if there are label columns
  /// Names of the classes in the order of their ids, as labels_of() finds them; default: those of the checkpoint. If
  /// the checkpoint has the same classes, its order is kept, so that its classifier keeps its meaning.
  /// With a sigmoid head these are "0" and "1"; with regression there are none.
  std::vector<std::string> labels;
};

struct LabelScan {
  std::vector<std::string> labels;
  int64_t examples = 0;
};
/// The different labels of a column: integers in numeric order, other names in alphabetical order.
/// errors  DataError for an empty label, or more than 1,000 labels
LabelScan labels_of(const data::Dataset& rows, const std::string& column);
/// The same where a row may have none or several: a JSON list, or a text with separators.
LabelScan label_sets_of(const data::Dataset& rows, const std::string& column, const std::string& separator);

/// Labels, or a number, for a text or a pair of texts: an encoder with a classification head of a Hugging Face model
/// folder.
class TextClassification final : public TextTask {
 public:
  /// errors  CheckpointError, NotFoundError for what is wrong with the folder; UsageError for options that do not fit
  ///         it
  TextClassification(const std::filesystem::path& model, TextClassificationOptions options);
  ~TextClassification() override;

  const std::vector<std::string>& labels() const;
  Head head() const;

  /// A row of texts, or of token ids, as arrays: int32 [length] input_ids, attention_mask and, if the model reads them,
  /// token_type_ids; int32 labels; float32 with regression, float32 [labels] with several labels.
  /// errors  DataError that names the row for a missing column, a label outside the set, text that is not UTF-8
  data::Example encode(const data::Example& row, Labels labels = Labels::kRequired) const;

  struct Prediction {
    std::string label;                 ///< none with regression and with several labels
    std::vector<std::string> labels;   ///< of several: those of a probability of one half or more
    std::vector<float> probabilities;  ///< of labels(); with a sigmoid head of label 1 alone; none with regression
    std::vector<float> logits;
  };
  /// One per row of a batch, without the rows that only fill it up.
  std::vector<Prediction> predictions(const data::Example& batch, const data::Example& outputs) const;

  std::vector<std::string> columns(Labels labels) const override;
  /// Where rows have token ids in place of the text, these: see TextCheckpoint::encode_ids.
  data::Dataset read(const std::vector<std::string>& files, Labels labels,
                     data::TableOptions table = {}) const override;
  /// Padded to max_length.
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const override;
  bool can_be_packed() const override { return true; }
  data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                               const data::ShuffleOptions& order) const override;
  std::optional<int64_t> cut_texts(const data::Example& row) const override;
  /// {"label": ..., "score": its probability, "scores": {label: probability}, "logits": [...]}; of several labels
  /// {"labels": [...], "scores": ..., "logits": ...}; with regression {"score": the number}
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  std::map<std::string, std::string> settings() const override;

  std::vector<std::string> inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override;
  void save(const std::filesystem::path& folder) const override;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace portatune
