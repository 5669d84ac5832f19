// Multiple choice: the choice of one of several endings of a text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/tasks.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

/// The columns are by default those of SWAG.
struct MultipleChoiceOptions {
  std::string context_column = "sent1";
  /// Column of a text that every ending begins with; empty: there is none. Default: sent2 if the context is sent1.
  std::optional<std::string> header_column;
  std::vector<std::string> ending_columns = {"ending0", "ending1", "ending2", "ending3"};
  std::string endings_column;          ///< column of a JSON list of endings, in place of a column for each
  std::string label_column = "label";  ///< column of the index of the right ending, from 0
  int64_t max_length = 128;    ///< tokens of context and one ending, special ones included; longer texts are cut
  double label_smoothing = 0;  ///< share of a target that all endings get in equal parts, in training; in [0, 1)

  void describe(OptionFields& fields);
};

/// A task with one score per ending and a softmax over the endings of a row. Context and ending are a pair of texts,
/// prepared as in transformers' run_swag.py. An example has int32 [endings, length] input_ids and so on, int32 labels.
/// All rows have the same number of endings. Metric: accuracy. A line of predictions is {"label": the index, "ending":
/// its text, "score": its probability, "scores": [...], "logits": [...]}.
/// errors  those of TextClassification; UsageError, when the graph is built, for an architecture without such a head;
///         DataError that names the row for fewer than two endings or a label out of range
std::unique_ptr<RowTask> multiple_choice(const ModelSource& model, MultipleChoiceOptions options);
/// The task "multiple-choice", with MultipleChoiceOptions.
const TaskSpec& multiple_choice_spec();

}  // namespace portatune
