// The prompts of text generation: texts, or conversations by the model's chat template.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace portatune {
class ProcessGroup;
}

namespace portatune::run {

struct PromptOptions {
  std::vector<std::string> prompts;          ///< prompts, before those of `input`
  std::vector<std::string> input;            ///< files of rows
  std::string text_column = "text";          ///< the column of prompts in `input`
  bool chat = false;                         ///< prompts are messages of a user, rows of `input` are conversations
  std::string system;                        ///< the message before that of the user; empty: none
  std::string messages_column = "messages";  ///< the column of conversations in `input`
  std::filesystem::path chat_template;       ///< file of a chat template; empty: the model's template
  std::string chat_variables;                ///< variables of the template as a JSON object; empty: none
};

struct Prompt {
  std::string shown;         ///< the prompt as it was given: a text, or messages in JSON
  std::vector<int32_t> ids;  ///< token ids of a conversation up to the turn of the assistant; empty: encode `shown`
};

/// The prompts in the form of the model in a folder.
/// errors  UsageError if there is no prompt, and for options of conversations without --chat; DataError for a
///         conversation that the template refuses; CheckpointError if the model has no template
std::vector<Prompt> read_prompts(const PromptOptions& options, const std::filesystem::path& model);

/// Each process continues some prompts of a batch, so all must have read the same ones.
/// processes  null: there is one process
/// errors     DataError if a process has read other prompts
void require_same_prompts(ProcessGroup* processes, const std::vector<Prompt>& prompts);

}  // namespace portatune::run
