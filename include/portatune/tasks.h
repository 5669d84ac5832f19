// Tasks: how a row becomes an example, and a task's forward pass, metrics, files and errors on labelled rows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "portatune/data.h"
#include "portatune/hub.h"
#include "portatune/metrics.h"
#include "portatune/nn.h"
#include "portatune/sources.h"

namespace portatune {

struct ErrorAnalysis {
  /// A class, a label that applies or not, or a type of entities.
  struct Class {
    std::string name;
    metrics::ClassCounts counts;
  };
  /// Rows of a class that are predicted as another one.
  struct Confusion {
    std::string label, prediction;
    double count = 0;  ///< sum of the weights of these rows
  };
  /// A row with a wrong prediction.
  struct Mistake {
    data::Origin row;
    std::string label, prediction;
    std::optional<double> probability;  ///< probability of the prediction, in [0, 1]; none in regression
    double loss = 0;                    ///< cross-entropy, without weights; in regression the absolute error
  };
  std::vector<Class> classes;         ///< classes that are predicted or true, in the order of their ids
  std::vector<Confusion> confusions;  ///< the most frequent ones first; empty unless each row has one class
  std::vector<Mistake> mistakes;      ///< the highest losses first
};

/// Analyses one pass over labelled rows, batch by batch. Rows of weight 0 do not count.
class ErrorAnalyzer {
 public:
  virtual ~ErrorAnalyzer() = default;
  /// batch: with its labels, weights and origins; outputs: those of Forward.
  virtual void update(const data::Example& batch, const data::Example& outputs) = 0;
  virtual ErrorAnalysis result() const = 0;
};

/// Columns of a batch as values of the graph.
using Columns = std::map<std::string, Value, std::less<>>;

/// Results of a task's forward pass.
struct Forward {
  /// Sum over the examples of weight x loss, and sum of the weights: float32 scalars. Sums, not a mean, so that a step
  /// of several micro-batches is normalised by all of its examples.
  Value loss_sum, weight_sum;
  /// Arrays for evaluation and prediction, with a leading batch axis: "logits", say.
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
  /// Returns whether update() needs rows in the order of the data. Batches of buckets then arrive as single rows.
  virtual bool in_row_order() const { return false; }
  /// The metrics, without those that the examples do not define (a ROC-AUC of one class).
  virtual Scores result() const = 0;
};

/// Number of real tokens of a batch, and of all its positions, padding included.
struct TokenCount {
  int64_t real = 0, positions = 0;
  const char* unit = "tokens";  ///< unit of the counts
};

/// A model with its inputs, loss and metrics, as a Trainer needs it. Immutable, hence safe to share.
class Task {
 public:
  virtual ~Task() = default;

  /// Columns that a batch must have, all of them arrays.
  virtual std::vector<std::string> inputs() const = 0;
  /// Columns that the forward pass reads if a batch has them, such as those of packed batches.
  virtual std::vector<std::string> optional_inputs() const { return {}; }
  /// Builds the forward pass over a batch.
  virtual Forward forward(const nn::Scope& root, const Columns& batch) const = 0;
  virtual std::unique_ptr<Metrics> metrics() const = 0;
  /// Returns the outputs of forward() for a batch.
  using RunBatch = std::function<data::Example(data::Example batch)>;
  /// The outputs of an evaluation or prediction that needs further passes, such as the next windows of long recordings:
  /// the task makes batches of the same shapes and runs them. Nothing: the outputs of the first pass are all. In a
  /// process group all processes run as many batches.
  virtual std::optional<data::Example> outputs_of_all_passes(const data::Example& /*batch*/,
                                                             const data::Example& /*outputs*/,
                                                             const RunBatch& /*run*/) const {
    return std::nullopt;
  }
  virtual TokenCount tokens(const data::Example& batch) const = 0;

  /// Standard deviation of new weights.
  virtual double initializer_range() const { return 0.02; }
  /// The values at the start of training. The initializer of a new weight depends on (seed, name) alone.
  virtual InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const;
  /// Does nothing if initial_weights() has a checkpoint to read, or needs none. Runs ask before they read any row.
  /// errors  CheckpointError for a model folder without weights
  virtual void require_weights() const {}
  /// Writes the files of the trained model except its weights into an existing folder. The Trainer writes the weights
  /// under the names of the parameters: as model.safetensors or, in a checkpoint of several processes, in shards.
  /// fit() calls this function on another thread during training.
  virtual void save(const std::filesystem::path& folder) const = 0;
};

/// Writer of predictions, one JSON object per line. Serves one pass over the rows in their order.
class PredictionLines {
 public:
  virtual ~PredictionLines() = default;
  /// Returns the lines, each with its newline, that are complete with this batch.
  virtual std::string take(const data::Example& batch, const data::Example& outputs) = 0;
  /// Returns the lines that waited for further batches.
  virtual std::string finish() { return {}; }
};

/// The labels of a task's rows, for splits, counts and reports.
struct RowLabels {
  using Names = std::vector<std::string>;
  Names classes = {};  ///< names of the classes in the order of their ids; empty: the task has none
  /// The classes of a row.
  /// errors  DataError that names the row for a label outside the classes
  std::function<Names(const data::Example&)> in_row = [](const data::Example&) { return Names(); };
  std::string class_column = {};  ///< column of the one class of each row; empty: rows have several classes, or none
  Names number_columns = {};      ///< columns of the numbers to predict
  const char* noun = "class";     ///< what a class is called in reports, in the singular
  const char* nouns = "classes";  ///< and in the plural
};

/// A change of an input file during a run.
struct ChangedData {
  std::string file;
  std::string change;  ///< "8712 bytes in place of 8448"
};

/// A task whose examples come from rows of tables. The command trains, evaluates and predicts with such tasks.
class RowTask : public Task {
 public:
  /// True if rows have a label. Rows without one can only be predicted.
  enum class Labels { kRequired, kIgnored };
  /// Columns that rows must have, all of them texts.
  virtual std::vector<std::string> columns(Labels labels) const = 0;
  /// The members of columns() that may hold lists. A TFRecord has exactly one value in each of the others.
  virtual std::vector<std::string> list_columns() const { return {}; }
  /// The columns of which at least one holds text in each row; empty: rows may be blank, or hold no texts.
  virtual std::vector<std::string> text_columns() const { return {}; }
  /// Returns whether a row without labels is one text, so that texts can be predicted in place of files.
  virtual bool reads_one_text() const;
  /// The labels of rows; by default none.
  virtual RowLabels row_labels() const { return {}; }
  /// Rows of files: tables with columns(), and other formats that the task reads.
  /// table   how tables are read; the task chooses the columns
  /// errors  those of data::read_table
  virtual data::Dataset read(const std::vector<std::string>& files, Labels labels, data::TableOptions table = {}) const;
  /// Encodes rows and groups them into batches of `size`. The task must outlive the dataset.
  /// errors  UsageError if `size` is below 1; DataError that names the row for a missing column, an invalid label or
  ///         text that is not UTF-8
  virtual data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const = 0;
  /// Batches of the rows in random order, for training.
  virtual data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                         const data::ShuffleOptions& order) const;
  /// Number of tokens of the longest examples, which is the length of batches by default; 0: examples are no texts.
  virtual int64_t max_length() const { return 0; }
  /// Returns whether the loss of a batch is the quotient of sums over its rows, as Forward says. Batches of other tasks
  /// are not divided.
  virtual bool loss_is_of_rows() const { return true; }
  /// Returns whether examples vary in length, so that batches of several lengths reduce padding: see set_lengths().
  virtual bool varies_in_length() const { return false; }
  /// What the numbers of max_length(), set_lengths() and their reports count.
  virtual const char* length_unit() const { return "tokens"; }
  /// What the two numbers of a pair count: see set_pairs().
  virtual const char* pair_unit() const { return "tokens (source+target)"; }
  /// Batches for length_counts() and pair_counts() alone, if the task knows the lengths of examples without making
  /// them; otherwise nothing. A row that the task refuses by its length is an error of the pass.
  virtual std::optional<data::Dataset> length_batches(const data::Dataset& rows, Labels labels) const;
  /// Returns whether packed_batches() works.
  virtual bool can_be_packed() const { return false; }
  /// Sets the lengths of batches. Each batch gets the smallest length that holds its examples, and examples of similar
  /// length share a batch (data::Dataset::bucket_by_length). Call it before batches(). Lengths above those of all
  /// examples may be absent: see data::choose_lengths.
  /// errors  UsageError for a task whose batches have one shape, for no lengths, or for a length that texts cannot have
  virtual void set_lengths(std::vector<int64_t> lengths);
  /// Number of tokens of the longest targets, which are padded apart from the other texts; 0: examples have no targets.
  virtual int64_t max_target_length() const { return 0; }
  /// As set_lengths(), for a task with targets: the lengths of texts and of targets, ascending in both.
  /// errors  UsageError for a task without targets, for no pairs, or for a length that texts cannot have
  virtual void set_pairs(std::vector<data::LengthPair> pairs);
  /// Sets the share of every batch that the devices of this process take (batch_share() of device.h). Images of other
  /// rows are then not decoded but left as zeros (data::Dataset::map_local). Callbacks and Metrics see these zeros
  /// beside outputs of all rows; Example::local_rows() marks the difference. Tasks with cheap rows, or with rows that
  /// decide about the shape of a batch, make whole batches. Call it before batches().
  virtual void set_batch_share(BatchShare) {}
  /// The first file named by a row that has changed since the task read it before.
  virtual std::optional<ChangedData> changed_file() const { return std::nullopt; }
  /// Counts the lengths of the examples in batches.
  /// errors  UsageError for a task whose batches have one shape
  virtual data::LengthCounts length_counts(const data::Dataset& batches) const;
  /// Counts the lengths of texts and targets.
  /// errors  UsageError for a task without targets
  virtual data::PairCounts pair_counts(const data::Dataset& batches) const;
  /// As training_batches(), with several texts in a row: see data::Dataset::pack().
  /// errors  UsageError with the reason if the task cannot be packed
  virtual data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                                       const data::ShuffleOptions& order) const;
  /// Number of the row's texts that the task cuts to its max_length; empty if the task cuts no texts.
  virtual std::optional<int64_t> cut_texts(const data::Example& row) const;
  /// The examples of rows for counting: usually one per row, without encoding.
  virtual data::Dataset examples(const data::Dataset& rows) const;
  virtual std::unique_ptr<PredictionLines> prediction_lines() const = 0;
  /// Returns whether the predictions have one line per row.
  virtual bool predicts_rows() const { return true; }
  /// Returns whether the outputs of batches with labels contain predictions beside losses.
  virtual bool predicts_labelled_rows() const { return true; }
  /// Returns whether the mean of the outputs of several models is a prediction, too.
  virtual bool has_mean_predictions() const { return true; }
  /// The score that decides about the best model unless the user chooses one; empty: the loss.
  virtual std::string score_of_best_model() const { return {}; }
  /// Predictions as one JSON document, if other programs define such a form; otherwise null.
  virtual std::unique_ptr<PredictionLines> prediction_document() const;
  /// An analyzer of an evaluation for the report of a run, which keeps `max_mistakes` rows; null: the task has none.
  virtual std::unique_ptr<ErrorAnalyzer> error_analyzer(int64_t max_mistakes) const;
  /// Values that a resumed run must share with the run that it continues (TrainingOptions::must_match).
  virtual std::map<std::string, std::string> settings() const = 0;
  /// Keys of config.json that Portatune does not know and therefore ignores.
  virtual std::vector<std::string> unknown_config_keys() const = 0;
};

/// Adds metrics to every evaluation of the program, below those of the task: a constant in a source file that is linked
/// into the program. `fit` and `evaluate` of a command that portatune_command() builds show them.
///     const AddedMetrics kMine([](const Task& task) -> std::unique_ptr<Metrics> { ... });
/// Metrics::update() gets the columns of a batch ("labels", data::kExampleWeight) and the outputs of the task's Forward
/// ("logits").
class AddedMetrics {
 public:
  /// Returns null for a task that the metrics do not suit.
  using Make = std::unique_ptr<Metrics> (*)(const Task& task);
  explicit AddedMetrics(Make make);
};

}  // namespace portatune
