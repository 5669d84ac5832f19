// Token classification: a tag for each word of a sentence, such as names of persons and places.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/tasks/losses.h"
#include "portatune/tasks/text_task.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

struct TokenClassificationOptions {
  std::string tokens_column = "tokens";  ///< column of the words: a JSON list of strings
  std::string tags_column = "ner_tags";  ///< column of their tags: a JSON list of the same length, of names or ids
  int64_t max_length = 128;              ///< tokens of a sentence, special ones included; words beyond are skipped
  /// Names of the tags in the order of their ids, as tags_of() finds them; default: the checkpoint's. If the checkpoint
  /// knows all of them, its own list is kept, so that its classifier keeps its meaning.
  std::vector<std::string> labels;
  LossOptions loss = {};
};

/// The options of the task "token-classification" in runs, which finds labels and weights in the rows.
struct TokenClassificationRunOptions : TokenClassificationOptions {
  ClassWeights weights;

  void describe(OptionFields& fields);
};
const TaskSpec& token_classification_spec();

/// Sentences of files: read_conll for .conll and .txt, read_table for others.
/// tags_column  empty: tags are not read
/// table        how tables are read; `columns` is ignored
data::Dataset read_tagged(const std::vector<std::string>& files, const std::string& tokens_column,
                          const std::string& tags_column, data::TableOptions table = {});

/// The distinct tags of a column of JSON lists, sorted; if all are integers, those from 0 to the largest.
/// errors  DataError for a value that is not a list of names or ids, a negative id, more than 1,000 tags
std::vector<std::string> tags_of(const data::Dataset& rows, const std::string& column);

/// A tag for each word. The label belongs to the word's first token; the other tokens have none.
class TokenClassification final : public TextTask {
 public:
  /// errors  CheckpointError, NotFoundError for a faulty folder; UsageError for options that do not fit it, and if
  ///         there are no labels
  TokenClassification(const ModelSource& model, TokenClassificationOptions options);
  ~TokenClassification() override;

  const std::vector<std::string>& labels() const;

  /// The arrays of a row: int32 [length] input_ids, attention_mask, token_type_ids if the model reads them; labels: the
  /// tag at the first token of a word, -100 elsewhere; word_ids: the index of the word at its first token, -1
  /// elsewhere; int32 [] word_count. The ids are those of Tokenizer::encode_words.
  /// errors  DataError that names the row for a missing column, unknown tags, a number of tags other than that of
  ///         the words, text that is not UTF-8
  data::Example encode(const data::Example& row, Labels labels = Labels::kRequired) const;

  /// The tags of a sentence, one per word; none for a word that the model has not seen because it lies beyond
  /// max_length or has no tokens.
  using Tags = std::vector<std::optional<std::string>>;
  /// The tags of each row of a batch, without the rows that only fill it up.
  /// outputs  of forward(): "tag_ids", the most probable tag of each token, int32 [batch, seq]
  std::vector<Tags> predictions(const data::Example& batch, const data::Example& outputs) const;

  std::vector<std::string> columns(Labels labels) const override;
  std::vector<std::string> list_columns() const override;
  RowLabels row_labels() const override;
  data::Dataset read(const std::vector<std::string>& files, Labels labels,
                     data::TableOptions table = {}) const override;
  /// Batches padded to max_length.
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const override;
  bool can_be_packed() const override { return checkpoint().can_be_packed(); }
  data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                               const data::ShuffleOptions& order) const override;
  std::optional<int64_t> cut_texts(const data::Example& row) const override;
  /// {"tags": [name, ...]}, null for a word that the model has not seen.
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  std::map<std::string, std::string> settings() const override;

  std::vector<std::string> inputs() const override;
  /// Outputs: "tag_ids", "highest_logit", and "logits" [batch, seq, tags] where AddedMetrics may read them.
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  /// Precision, recall and F1 of entities as in seqeval, and the accuracy of words.
  std::unique_ptr<Metrics> metrics() const override;
  std::unique_ptr<ErrorAnalyzer> error_analyzer(int64_t max_mistakes) const override;
  void save(const std::filesystem::path& folder) const override;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace portatune
