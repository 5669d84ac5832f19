// The common part of tasks on texts: a model folder with its tokenizer, and texts as arrays.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "portatune/hub.h"
#include "portatune/json_object.h"
#include "portatune/models.h"
#include "portatune/tasks.h"
#include "portatune/text.h"

namespace portatune {

namespace data {
class ExampleMemory;
}

/// A Hugging Face folder with a text model, open for training. Safe to share between threads once lengths are set.
///
/// An example may hold several texts, or pairs of them, as columns whose names have a prefix: "answer_input_ids".
class TextCheckpoint {
 public:
  /// max_length  tokens of a text, special ones included
  /// languages   of the texts, for text::load_tokenizer()
  /// errors      CheckpointError, NotFoundError for a faulty folder, a vocabulary that does not fit the embedding;
  ///             UsageError for a length beyond the model's positions, and for an unknown language
  TextCheckpoint(const ModelSource& model, int64_t max_length, const text::Languages& languages = {});
  ~TextCheckpoint();

  const io::JsonObject& config() const;
  const models::TextModel& model() const;
  const text::Tokenizer& tokenizer() const;
  int64_t max_length() const;

  /// The lengths that batches are padded to, ascending; by default max_length alone.
  const std::vector<int64_t>& lengths() const;
  /// errors  UsageError for no lengths, or for one below 1 or above max_length
  void set_lengths(std::vector<int64_t> lengths);

  /// The columns of a text and their padding values: input_ids, attention_mask and, if the model reads them,
  /// token_type_ids.
  std::map<std::string, double> padding(const std::string& prefix = {}) const;
  /// The names of these columns, then `more`, then data::kExampleWeight: the value of Task::inputs().
  std::vector<std::string> inputs(std::initializer_list<const char*> more = {}) const;

  /// One or two texts as int32 [length] each. The example has the row's origin.
  /// errors  DataError naming the row for text that is not UTF-8
  data::Example encode(const data::Example& row, const text::TextPair& texts) const;
  /// Returns whether encode() cuts one or two texts.
  bool is_cut(const text::TextPair& texts) const;
  /// The example of a row with ids in place of a text: columns input_ids and optionally token_type_ids, attention_mask.
  /// errors  DataError naming the row for more than max_length ids, no ids, or ids without an embedding
  data::Example encode_ids(const data::Example& row) const;
  /// Adds the columns of an encoded text. Empty `type_ids` mean all 0.
  data::Example& set_ids(data::Example& example, std::span<const int32_t> ids, std::span<const int32_t> type_ids = {},
                         const std::string& prefix = {}) const;
  /// Examples in batches of `size`. The columns of padding(), and those in `more`, are padded to one of lengths();
  /// several lengths use data::Dataset::bucket_by_length.
  /// errors  UsageError if `size` is below 1
  data::Dataset batches(const data::Dataset& examples, int64_t size,
                        const std::map<std::string, double>& more = {}) const;
  /// As batches(), with a column of targets that are padded to lengths of their own.
  /// pairs   the lengths of texts and of targets, ascending in both
  /// target  name and padding value of the column
  data::Dataset batches_of_pairs(const data::Dataset& examples, int64_t size, std::span<const data::LengthPair> pairs,
                                 const std::pair<std::string, double>& target) const;
  /// Examples in batches of `size` whose padded columns are those of `padding` alone, with their padding values.
  data::Dataset batches_padded_with(const data::Dataset& examples, int64_t size,
                                    std::map<std::string, double> padding) const;

  /// Returns whether the model keeps the texts of a row apart.
  bool can_be_packed() const;
  /// Examples in packed batches, as data::Dataset::pack() makes them. The columns in `more` are padded to the length of
  /// the rows.
  /// errors  UsageError if this length is not max_length, or unless can_be_packed()
  data::Dataset packed_batches(const data::Dataset& examples, const data::PackedShapes& shapes,
                               const std::map<std::string, double>& more = {}) const;

  /// The inputs of the model's body, from packed or unpacked batches.
  models::TextInputs inputs_of(const Columns& batch, const std::string& prefix = {}) const;

  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const;
  /// errors  CheckpointError for a folder without weights, which is otherwise allowed
  void require_weights() const;
  std::vector<std::string> unknown_config_keys() const;
  /// Writes the config with the changes, the tokenizer and the other companions. An architecture among the changes is
  /// the model's class in transformers: TextModel::class_name().
  void save(const std::filesystem::path& folder, ConfigChanges changes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A task on a text model: everything that follows from its checkpoint alone.
class TextTask : public RowTask {
 public:
  TokenCount tokens(const data::Example& batch) const override;
  std::vector<std::string> text_columns() const override { return columns(Labels::kIgnored); }
  int64_t max_length() const override { return checkpoint_.max_length(); }
  bool varies_in_length() const override { return true; }
  void set_lengths(std::vector<int64_t> lengths) override { checkpoint_.set_lengths(std::move(lengths)); }
  data::LengthCounts length_counts(const data::Dataset& batches) const override;
  std::vector<std::string> optional_inputs() const override;
  double initializer_range() const override;
  InitialWeights initial_weights(std::span<const nn::Parameter> parameters, uint64_t seed) const override;
  void require_weights() const override { checkpoint_.require_weights(); }
  std::vector<std::string> unknown_config_keys() const override;

  /// Datasets that are made later take the examples of rows from this memory, if it has them. Tasks may share a memory
  /// if they encode rows alike.
  void keep_examples(std::shared_ptr<data::ExampleMemory> memory) { memory_ = std::move(memory); }

 protected:
  TextTask(const ModelSource& model, int64_t max_length, const text::Languages& languages = {})
      : checkpoint_(model, max_length, languages) {}

  const TextCheckpoint& checkpoint() const { return checkpoint_; }

  /// The examples encode(row) of rows, which depend on nothing but the row.
  /// name  of the function, unique within the task
  data::Dataset encoded(const data::Dataset& rows, std::string name,
                        std::function<data::Example(const data::Example& row)> encode) const;
  /// The same for rows that become any number of examples.
  data::Dataset encoded(const data::Dataset& rows, std::string name,
                        std::function<std::vector<data::Example>(const data::Example& row)> encode) const;
  /// The name of an encode() that depends on whether rows have labels.
  static const char* name_of(Labels labels) { return labels == Labels::kRequired ? "labelled" : "unlabelled"; }

 private:
  TextCheckpoint checkpoint_;
  std::shared_ptr<data::ExampleMemory> memory_;  // null: rows are encoded in each pass
};

}  // namespace portatune
