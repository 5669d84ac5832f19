// Language models, causal or masked, learned from texts without labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "portatune/chat.h"
#include "portatune/tasks.h"

namespace portatune {

struct CausalLmOptions {
  std::string text_column = "text";
  int64_t block_size = 128;     ///< tokens of an example: texts are joined and cut
  bool rows_are_lines = false;  ///< lines of a text end with a line feed; texts of a table with the end-of-text token
};
/// Causal language modelling: each token is predicted from those before it. Metrics: perplexity, accuracy.
/// errors  as TextClassification; UsageError, when the graph is built, for an architecture without such a head
std::unique_ptr<RowTask> causal_lm(const std::filesystem::path& model, CausalLmOptions options);

struct InstructionOptions {
  // Either of these; the other is empty:
  std::string messages_column;                   ///< of conversations: lists of messages, as JSON
  std::string prompt_column, completion_column;  ///< of texts, or of lists of messages
  std::string input_column;   ///< of texts that follow the prompt's after a blank line, where they are not empty
  bool as_messages = false;   ///< texts are what a user and an assistant say, by the chat template
  int64_t max_length = 1024;  ///< tokens of an example; longer ones are cut
  std::filesystem::path chat_template;  ///< a file; empty: the model's own
  ChatOptions chat;                     ///< tools, variables and date of the template
};
/// Causal language modelling of instruction data, with the loss on what the assistant says: its messages (see
/// ChatTemplate::apply_with_spans), or the completion. Each row is an example. Rows of which nothing is left to learn
/// after they are cut are left out of training. Labels are those of trl's SFTTrainer with assistant_only_loss and
/// completion_only_loss.
/// A completion begins where the tokens of the prompt alone and those of both part. One that is text ends with the
/// end-of-text token; for lists of messages the prompt ends as the template's generation prompt does.
/// errors  as causal_lm; CheckpointError if conversations have no chat template; UsageError for columns of both kinds
std::unique_ptr<RowTask> instruction_tuning(const std::filesystem::path& model, InstructionOptions options);

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

}  // namespace portatune
