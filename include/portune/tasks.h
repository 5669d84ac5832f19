// Tasks: what a row of data becomes, what is computed from it, how it is scored and saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "portune/data.h"
#include "portune/nn.h"

namespace portune {

/// Columns of a batch as values of the graph.
using Columns = std::map<std::string, Value, std::less<>>;

/// What the forward pass of a task computes.
struct Forward {
  /// Sum over the examples of weight x loss, and sum of the weights: float32 scalars. Sums rather than a mean, so that
  /// a step made of several batches is normalised by all of its examples.
  Value loss_sum, weight_sum;
  /// What evaluation and prediction see, with a leading batch dimension: "logits", say.
  std::vector<std::pair<std::string, Value>> outputs;
};

/// Name and value of a metric, such as {"accuracy", 0.91}.
using Scores = std::vector<std::pair<std::string, double>>;

/// Metrics that are accumulated batch by batch. Rows of weight 0 do not count.
class Metrics {
 public:
  virtual ~Metrics() = default;
  /// batch: with its labels and weights; outputs: those of Forward.
  virtual void update(const data::Example& batch, const data::Example& outputs) = 0;
  /// A metric that the examples do not define (a ROC-AUC of one class) is left out.
  virtual Scores result() const = 0;
};

/// How the parameters of a model were found in a checkpoint.
struct LoadReport {
  std::vector<std::string> missing;     ///< parameters that start from their initializer
  std::vector<std::string> unexpected;  ///< tensors that no parameter has
};

/// Values for a list of parameters, in its order.
struct InitialWeights {
  std::vector<Tensor> values;
  LoadReport report;
};

/// Real tokens of a batch, and all of its positions, padding included.
struct TokenCount {
  int64_t real = 0, positions = 0;
};

/// A model with its inputs, its loss and its metrics: what a Trainer needs to know. Immutable, hence safe to share.
class Task {
 public:
  virtual ~Task() = default;

  /// The columns that a batch must have, arrays all of them.
  virtual std::vector<std::string> inputs() const = 0;
  /// Builds the forward pass over a batch.
  virtual Forward forward(const nn::Scope& root, const Columns& batch) const = 0;
  virtual std::unique_ptr<Metrics> metrics() const = 0;
  virtual TokenCount tokens(const data::Example& batch) const = 0;

  /// Standard deviation of weights that no checkpoint has.
  virtual double initializer_range() const { return 0.02; }
  /// Where training starts; what no checkpoint has is drawn by its initializer, from (seed, name) alone.
  virtual InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const;
  /// Writes all files of the trained model into an existing folder.
  virtual void save(const std::filesystem::path& folder, std::span<const NamedTensorView> weights) const = 0;
};

/// Makes the file of predictions, a JSON object a line. For one pass over the rows, in their order.
class PredictionLines {
 public:
  virtual ~PredictionLines() = default;
  /// The lines, each with its newline, that are complete with this batch.
  virtual std::string take(const data::Example& batch, const data::Example& outputs) = 0;
  /// Those that waited for further batches.
  virtual std::string finish() { return {}; }
};

/// A task whose examples come from rows of tables: what the command trains, measures and predicts with.
class RowTask : public Task {
 public:
  /// Whether rows have a label: without one they can only be predicted.
  enum class Labels { kRequired, kIgnored };
  /// The columns that rows must have, texts all of them.
  virtual std::vector<std::string> columns(Labels labels) const = 0;
  /// The rows of files: tables with columns(), and whatever else the task reads.
  /// errors  those of data::read_table
  virtual data::Dataset read(const std::vector<std::string>& files, Labels labels) const;
  /// Rows encoded and put into batches of `size`. The task must outlive the dataset.
  /// errors  UsageError if `size` is below 1; DataError that names the row for a missing column, a label that makes no
  ///         sense, text that is not UTF-8
  virtual data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const = 0;
  /// The same in random order, for training.
  virtual data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                         const data::ShuffleOptions& order) const;
  /// How many examples rows become: usually one each.
  virtual int64_t count_examples(const data::Dataset& rows) const;
  virtual std::unique_ptr<PredictionLines> prediction_lines() const = 0;
  /// The same as one JSON document, if there is a form of it that others read; otherwise null.
  virtual std::unique_ptr<PredictionLines> prediction_document() const;
  /// What a resumption must have in common with the run that it continues (TrainingOptions::must_match).
  virtual std::map<std::string, std::string> settings() const = 0;
  /// Keys of config.json that Portune does not know, and therefore ignores.
  virtual std::vector<std::string> unknown_config_keys() const = 0;
};

// ---- text classification

enum class Head {
  kSoftmax,     ///< a logit per class, softmax cross-entropy
  kSigmoid,     ///< one logit, that of label 1 against label 0, binary cross-entropy
  kRegression,  ///< one number, squared error
};

struct TextClassificationOptions {
  std::string text_column = "text";
  std::string text_pair_column;  ///< of the second text; empty: there is one text
  std::string label_column = "label";
  int64_t max_length = 128;  ///< tokens of an example, special ones included; longer texts are cut
  std::optional<Head> head;  ///< default: that of the checkpoint
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

/// One label for a text or a pair of texts: an encoder with a classification head of a Hugging Face model folder.
class TextClassification final : public RowTask {
 public:
  /// errors  CheckpointError, NotFoundError for what is wrong with the folder; UsageError for options that do not fit
  /// it
  TextClassification(const std::filesystem::path& model, TextClassificationOptions options);
  ~TextClassification() override;

  const std::vector<std::string>& labels() const;
  Head head() const;

  /// A row of texts as arrays: int32 [length] input_ids, attention_mask and, if the model reads them, token_type_ids;
  /// int32 labels, float32 with regression.
  /// errors  DataError that names the row for a missing column, a label outside the set, text that is not UTF-8
  data::Example encode(const data::Example& row, Labels labels = Labels::kRequired) const;

  struct Prediction {
    std::string label;                 ///< none with regression
    std::vector<float> probabilities;  ///< of labels(); with a sigmoid head of label 1 alone; none with regression
    std::vector<float> logits;
  };
  /// One per row of a batch, without the rows that only fill it up.
  std::vector<Prediction> predictions(const data::Example& batch, const data::Example& outputs) const;

  std::vector<std::string> columns(Labels labels) const override;
  /// Padded to max_length.
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const override;
  /// {"label": ..., "score": its probability, "scores": {label: probability}, "logits": [...]}; with regression
  /// {"score": the number}
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  std::map<std::string, std::string> settings() const override;
  std::vector<std::string> unknown_config_keys() const override;

  std::vector<std::string> inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  std::unique_ptr<Metrics> metrics() const override;
  TokenCount tokens(const data::Example& batch) const override;
  double initializer_range() const override;
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override;
  void save(const std::filesystem::path& folder, std::span<const NamedTensorView> weights) const override;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// ---- language models

struct CausalLmOptions {
  std::string text_column = "text";
  int64_t block_size = 128;     ///< tokens of an example: texts are joined and cut
  bool rows_are_lines = false;  ///< lines of a text end with a line feed; texts of a table with the end-of-text token
};
/// Causal language modelling: each token is predicted from those before it. Metrics: perplexity, accuracy.
/// errors  as TextClassification; UsageError, when the graph is built, for an architecture without such a head
std::unique_ptr<RowTask> causal_lm(const std::filesystem::path& model, CausalLmOptions options);

struct MaskedLmOptions {
  std::string text_column = "text";
  int64_t max_length = 128;       ///< tokens of an example, special ones included; longer texts are cut
  double mlm_probability = 0.15;  ///< of a token to be predicted; in (0, 1)
  bool whole_words = false;       ///< whether the pieces of a word are hidden together
};
/// Masked language modelling: of the tokens chosen 80 % are hidden, 10 % replaced and 10 % kept, others in each step.
/// Metrics: perplexity, accuracy, with the same tokens chosen in every evaluation.
/// errors  as above; CheckpointError for a tokenizer without a mask token
std::unique_ptr<RowTask> masked_lm(const std::filesystem::path& model, MaskedLmOptions options);

}  // namespace portune
