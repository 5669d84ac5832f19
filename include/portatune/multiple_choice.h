// Multiple choice: which of several endings goes with a text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/tasks.h"

namespace portatune {

/// The columns are by default those of SWAG.
struct MultipleChoiceOptions {
  std::string context_column = "sent1";
  /// Of a text that every ending begins with; empty: there is none. Default: sent2 where the context is sent1.
  std::optional<std::string> header_column;
  std::vector<std::string> ending_columns = {"ending0", "ending1", "ending2", "ending3"};
  std::string endings_column;          ///< of a JSON list of the endings, in place of a column for each
  std::string label_column = "label";  ///< of the number of the right one, from 0
  int64_t max_length = 128;  ///< tokens of context and one ending, special ones included; longer texts are cut
};

/// One score per ending, softmax over the endings of a row. Context and ending are a pair of texts, prepared as
/// transformers' run_swag.py does it; an example has int32 [endings, length] input_ids and so on, int32 labels. All
/// rows have the same number of endings. Metric: accuracy. A line of predictions is {"label": the number, "ending": its
/// text, "score": its probability, "scores": [...], "logits": [...]}.
/// errors  as TextClassification; UsageError, when the graph is built, for an architecture without such a head;
///         DataError that names the row for fewer than two endings, a label that is none of them
std::unique_ptr<RowTask> multiple_choice(const std::filesystem::path& model, MultipleChoiceOptions options);

}  // namespace portatune
