// Question answering: the span of a context that answers a question, as in SQuAD.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "portatune/tasks/text_task.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

struct QuestionAnsweringOptions {
  int64_t max_length = 128;  ///< tokens of question and context, special ones included
  /// Number of context tokens that two neighbouring windows share. 0: 128, or half of a window's context tokens if that
  /// is less.
  int64_t doc_stride = 0;
  bool version_2_with_negative = false;  ///< questions may have no answer
  /// Number of highest start positions combined with as many end positions, and number of spans kept.
  int64_t n_best_size = 20;
  int64_t max_answer_length = 30;  ///< tokens
  /// No-answer threshold of version 2: score(null) - score(best) above this predicts no answer.
  double null_score_diff_threshold = 0;

  void describe(OptionFields& fields);
};
/// The task "question-answering", with QuestionAnsweringOptions.
const TaskSpec& question_answering_spec();

/// Spans in contexts, found with two logits per token: start and end. A long context is split into several windows,
/// each of which is an example. Tokens and labels of a window are those of transformers' run_qa.py.
class QuestionAnswering final : public TextTask {
 public:
  /// errors  CheckpointError, NotFoundError for a faulty folder; UsageError for options that do not fit it
  QuestionAnswering(const ModelSource& model, QuestionAnsweringOptions options);
  ~QuestionAnswering() override;

  const QuestionAnsweringOptions& options() const;

  /// The windows of a row with the texts id, question, context and answers; answers are the JSON {"text": [...],
  /// "answer_start": [...]}. int32 [length] each: input_ids, attention_mask, token_type_ids if the model reads them;
  /// span_begins and span_ends, the offsets in code points of the token in the context, -1 for other tokens. int32 []
  /// each: start_positions and end_positions, the first answer's tokens, or 0 if the window does not have all of it;
  /// window, its index. The texts id, context, answers are empty in all windows but the first.
  /// errors  DataError that names the row for a missing column, an answer that is not in the context, a question that
  ///         leaves no room, more than 10,000 windows, text that is not UTF-8
  std::vector<data::Example> encode(const data::Example& row, Labels labels = Labels::kRequired) const;

  std::vector<std::string> columns(Labels labels) const override;
  /// Reads .json files with read_squad, others with read_table.
  data::Dataset read(const std::vector<std::string>& files, Labels labels,
                     data::TableOptions table = {}) const override;
  /// Batches padded to max_length.
  data::Dataset batches(const data::Dataset& rows, int64_t size, Labels labels = Labels::kRequired) const override;
  /// Windows in random order.
  data::Dataset training_batches(const data::Dataset& rows, int64_t size,
                                 const data::ShuffleOptions& order) const override;
  bool can_be_packed() const override { return checkpoint().can_be_packed(); }
  data::Dataset packed_batches(const data::Dataset& rows, const data::PackedShapes& shapes,
                               const data::ShuffleOptions& order) const override;
  /// The windows. Checks the answers.
  data::Dataset examples(const data::Dataset& rows) const override;
  /// Writer of a line per question: {"id", "prediction_text", "score": its probability among the n best, "start",
  /// "end": code points of the context} and, for version 2, "null_score_diff": score of no answer minus that of the
  /// best span.
  std::unique_ptr<PredictionLines> prediction_lines() const override;
  /// The document {id: text, ...} of the official evaluator.
  std::unique_ptr<PredictionLines> prediction_document() const override;
  std::map<std::string, std::string> settings() const override;

  std::vector<std::string> inputs() const override;
  Forward forward(const nn::Scope& root, const Columns& batch) const override;
  /// "exact_match" and "f1" in percent, as the official evaluator computes them; version 2 adds those of the questions
  /// with and without an answer.
  std::unique_ptr<Metrics> metrics() const override;
  void save(const std::filesystem::path& folder) const override;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace portatune
