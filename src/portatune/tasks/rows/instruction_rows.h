// Rows of instruction data as tokens and labels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "portatune/chat.h"
#include "portatune/tasks/language_models.h"
#include "portatune/text.h"

namespace portatune::tasks {

struct LabelledTokens {
  std::vector<int32_t> ids;
  std::vector<int32_t> labels;  ///< the ids of tokens to learn, otherwise kNoLabel
};

class InstructionRows {
 public:
  /// model, options  arguments of instruction_tuning()
  InstructionRows(const std::filesystem::path& model, const text::Tokenizer& tokenizer, InstructionOptions options);

  std::vector<std::string> columns() const;
  bool tells_date() const { return template_ && template_->tells_date(); }

  /// Returns the tokens before truncation.
  /// errors  DataError naming the row for an invalid conversation, one without an assistant, or one that the template
  ///         rejects
  LabelledTokens encode(const data::Example& row) const;

 private:
  LabelledTokens encode_conversation(const data::Example& row) const;
  LabelledTokens encode_completion(const data::Example& row) const;
  LabelledTokens encode_messages(const Conversation& prompt, const Conversation& completion) const;
  LabelledTokens encode_texts(const std::string& prompt, std::string completion) const;
  std::string prompt_of(const data::Example& row) const;
  const ChatTemplate& chat_template() const;
  std::vector<int32_t> ids_of(const Conversation& conversation, bool add_generation_prompt) const;

  const text::Tokenizer& tokenizer_;
  const InstructionOptions options_;
  const std::string model_;
  const std::optional<ChatTemplate> template_;
};

/// Marks the tokens of a text that the byte range [begin, end) covers: from the first with its first character to the
/// first with its last one, as in transformers.
std::vector<bool> tokens_of_spans(const std::string& text, const std::vector<TextSpan>& spans,
                                  const std::vector<text::Offsets>& offsets);

}  // namespace portatune::tasks
