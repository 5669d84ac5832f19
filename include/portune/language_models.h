// Language models, causal or masked, learned from texts without labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "portune/tasks.h"

namespace portune {

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
  /// Whether rows are sentences of documents, in pairs of which the model also learns if the second follows the first.
  /// A blank row ends a document.
  bool next_sentence = false;
};
/// Masked language modelling: of the tokens chosen 80 % are hidden, 10 % replaced and 10 % kept, others in each step.
/// Metrics: perplexity, accuracy, with the same tokens chosen in every evaluation; next_sentence_accuracy.
/// errors  as above; CheckpointError for a tokenizer without a mask token
std::unique_ptr<RowTask> masked_lm(const std::filesystem::path& model, MaskedLmOptions options);

}  // namespace portune
