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

#include "portatune/data.h"
#include "portatune/lengths.h"
#include "portatune/nn.h"
#include "portatune/packing.h"
#include "portatune/sources.h"

namespace portatune {

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
  /// Whether update() needs rows in the order of the data. Batches of examples of similar length come as rows then.
  virtual bool in_row_order() const { return false; }
  /// A metric that the examples do not define (a ROC-AUC of one class) is left out.
  virtual Scores result() const = 0;
};

/// How the parameters of a model were found in a checkpoint.
struct LoadReport {
  std::vector<std::string> missing;        ///< parameters that start from their initializer
  std::vector<std::string> unexpected;     ///< tensors that no parameter has
  std::vector<std::string> replaced = {};  ///< names in `missing` whose tensor in the checkpoint has another shape
  /// Names in `missing` that belong to the body of a pretrained model. Its pooler is not among them: checkpoints of
  /// language models have none.
  std::vector<std::string> body = {};
  std::filesystem::path folder = {};  ///< of the checkpoint; empty: there is none
};

/// Which parameters may start from their initializer because the checkpoint does not have them.
enum class NewWeights {
  kNone,  ///< none, as for a model that is not trained any more
  kHead,  ///< those of a head, and a pooler
  kAny
};

/// Values for a list of parameters, in its order.
struct InitialWeights {
  std::vector<Tensor> values;
  LoadReport report;
};

/// Real tokens of a batch, and all of its positions, padding included.
struct TokenCount {
  int64_t real = 0, positions = 0;
  const char* unit = "tokens";  ///< what is counted, where it is something else
};

/// A model with its inputs, its loss and its metrics: what a Trainer needs to know. Immutable, hence safe to share.
class Task {
 public:
  virtual ~Task() = default;

  /// The columns that a batch must have, arrays all of them.
  virtual std::vector<std::string> inputs() const = 0;
  /// Those that the forward pass reads where a batch has them: what packed batches bring, say.
  virtual std::vector<std::string> optional_inputs() const { return {}; }
  /// Builds the forward pass over a batch.
  virtual Forward forward(const nn::Scope& root, const Columns& batch) const = 0;
  virtual std::unique_ptr<Metrics> metrics() const = 0;
  virtual TokenCount tokens(const data::Example& batch) const = 0;

  /// Standard deviation of weights that no checkpoint has.
  virtual double initializer_range() const { return 0.02; }
  /// Where training starts; what no checkpoint has is drawn by its initializer, from (seed, name) alone.
  virtual InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const;
  /// Writes the files of the trained model, but its weights, into an existing folder. The Trainer writes these, under
  /// the names of the parameters, as model.safetensors or, in a checkpoint of several processes, in parts.
  virtual void save(const std::filesystem::path& folder) const = 0;
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
  /// Those of them that may hold lists. In the others a TFRecord has exactly one value.
  virtual std::vector<std::string> list_columns() const { return {}; }
  /// The rows of files: tables with columns(), and whatever else the task reads.
  /// table   how tables are read; which columns, the task says
  /// errors  those of data::read_table
  virtual data::Dataset read(const std::vector<std::string>& files, Labels labels, data::TableOptions table = {}) const;
  /// Rows encoded and put into batches of `size`. The task must outlive the dataset.
  /// errors  UsageError if `size` is below 1; DataError that names the row for a missing column, a label that makes no
  ///         sense, text that is not UTF-8
  virtual data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const = 0;
  /// The same in random order, for training.
  virtual data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                         const data::ShuffleOptions& order) const;
  /// Whether examples vary in length, so that batches of several lengths save padding: see set_lengths().
  virtual bool varies_in_length() const { return false; }
  /// Whether packed_batches() works.
  virtual bool can_be_packed() const { return false; }
  /// The lengths that batches of texts may have, of which each gets the smallest that holds its examples; examples of
  /// similar length share a batch then (data::Dataset::bucket_by_length). To be called before batches(). Lengths above
  /// those of all examples may be missing: see data::choose_lengths.
  /// errors  UsageError for a task whose batches have one shape, for no lengths, or one that texts cannot have
  virtual void set_lengths(std::vector<int64_t> lengths);
  /// For one of several processes that train together: which part of every batch its devices take (batch_share() of
  /// device.h). Images of other rows are then not decoded, but left as zeros (data::Dataset::map_local), which is what
  /// callbacks and Metrics see of them, beside outputs of all rows; Example::local_rows() tells. Of tasks whose rows
  /// are cheap, or decide about the shape of a batch, batches are made as a whole. To be called before batches().
  virtual void set_batch_share(BatchShare) {}
  /// How long the examples in batches are.
  /// errors  UsageError as above
  virtual data::LengthCounts length_counts(const data::Dataset& batches) const;
  /// As training_batches(), with several texts in a row: see data::Dataset::pack().
  /// errors  UsageError for a task that cannot do this, and why
  virtual data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                                       const data::ShuffleOptions& order) const;
  /// The number of a row's texts that the task cuts to its max_length. Nothing if the task cuts no texts.
  virtual std::optional<int64_t> cut_texts(const data::Example& row) const;
  /// What rows become, to be counted: usually an example each, for which nothing is encoded then.
  virtual data::Dataset examples(const data::Dataset& rows) const;
  virtual std::unique_ptr<PredictionLines> prediction_lines() const = 0;
  /// Whether each row has a line of its own.
  virtual bool predicts_rows() const { return true; }
  /// The same as one JSON document, if there is a form of it that others read; otherwise null.
  virtual std::unique_ptr<PredictionLines> prediction_document() const;
  /// What a resumption must have in common with the run that it continues (TrainingOptions::must_match).
  virtual std::map<std::string, std::string> settings() const = 0;
  /// Keys of config.json that Portatune does not know, and therefore ignores.
  virtual std::vector<std::string> unknown_config_keys() const = 0;
};

}  // namespace portatune
