// Causal and masked language models, learned from texts without labels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "portatune/chat.h"
#include "portatune/tasks.h"

namespace portatune {

class OptionFields;
struct TaskSpec;

struct CausalLmOptions {
  std::string text_column = "text";
  int64_t block_size = 128;     ///< tokens of an example: texts are joined, then cut into blocks
  bool rows_are_lines = false;  ///< whether lines end with a line feed, not with the end-of-text token
  double label_smoothing = 0;   ///< share of a target that all tokens get in equal parts, in training; in [0, 1)
};
/// Causal language modelling: each token is predicted from those before it. Metrics: perplexity, accuracy.
/// errors  those of TextClassification; UsageError, when the graph is built, for an architecture without such a head
std::unique_ptr<RowTask> causal_lm(const ModelSource& model, CausalLmOptions options);

struct InstructionOptions {
  // Exactly one of these two lines is not empty:
  std::string messages_column;                   ///< column of conversations: lists of messages, as JSON
  std::string prompt_column, completion_column;  ///< columns of texts, or of lists of messages
  std::string input_column;  ///< column of texts appended to the prompt after a blank line if they are not empty
  bool as_messages = false;  ///< the chat template formats the texts as user and assistant messages
  int64_t max_length = 128;  ///< tokens of an example; longer ones are cut
  std::filesystem::path chat_template;  ///< a file; empty: the model's template
  ChatOptions chat;                     ///< tools, variables and date for the template
  double label_smoothing = 0;           ///< as in CausalLmOptions
};
/// Causal language modelling of instruction data, with the loss on the assistant's part: its messages (see
/// ChatTemplate::apply_with_spans), or the completion. Each row is an example. Training skips rows that have nothing to
/// learn left after truncation. Labels are those of trl's SFTTrainer with assistant_only_loss and completion_only_loss.
/// A completion begins at the first token that differs between the prompt alone and both together. A text completion
/// ends with the end-of-text token; for lists of messages the prompt ends with the template's generation prompt.
/// errors  those of causal_lm; CheckpointError if conversations have no chat template; UsageError for columns of both
///         kinds
std::unique_ptr<RowTask> instruction_tuning(const ModelSource& model, InstructionOptions options);

/// The options of the task "causal-lm" in runs: instruction_tuning() with columns of instruction data, else
/// causal_lm().
struct CausalLmRunOptions : InstructionOptions {
  std::string text_column = CausalLmOptions().text_column;

  void describe(OptionFields& fields);
};
const TaskSpec& causal_lm_spec();

struct MaskedLmOptions {
  std::string text_column = "text";
  int64_t max_length = 128;       ///< tokens of an example, special ones included; longer texts are cut
  double mlm_probability = 0.15;  ///< probability that a token is predicted; in (0, 1)
  bool whole_words = false;       ///< whether the tokens of a word are masked together
  /// True if rows are sentences of documents. The model then sees pairs and also learns whether the second sentence
  /// follows the first. A blank row ends a document.
  bool next_sentence = false;
  double label_smoothing = 0;  ///< as in CausalLmOptions; not with next_sentence

  void describe(OptionFields& fields);
};
/// Masked language modelling: of the chosen tokens 80 % are masked, 10 % replaced and 10 % kept; each step chooses
/// others. Metrics: perplexity, accuracy, with the same tokens chosen in every evaluation; next_sentence_accuracy.
/// errors  those of causal_lm; CheckpointError for a tokenizer without a mask token
std::unique_ptr<RowTask> masked_lm(const ModelSource& model, MaskedLmOptions options);
/// The task "masked-lm", with MaskedLmOptions.
const TaskSpec& masked_lm_spec();

}  // namespace portatune
