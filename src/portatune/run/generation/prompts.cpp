#include "portatune/run/generation/prompts.h"

#include <fmt/format.h>

#include <optional>

#include "portatune/chat.h"
#include "portatune/data.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/process_group.h"
#include "portatune/sources.h"
#include "portatune/text.h"

namespace portatune::run {
namespace {

bool are_texts(const std::vector<std::string>& files) {
  return data::kind_extension(data::table_files(files).front()) == ".txt";
}

class ChatPrompts {
 public:
  ChatPrompts(const PromptOptions& a, const std::filesystem::path& model)
      : a_(a),
        template_(a.chat_template.empty() ? ChatTemplate::load(model) : ChatTemplate::load(model, a.chat_template)),
        tokenizer_(text::Tokenizer::load(hub::folder_of_settings(model))) {}

  Prompt of_user(const std::string& text) const { return {text, ids_of(opening().with("user", text))}; }

  Prompt of_row(const data::Example& row) const {
    return data::call_on(row, [&](const data::Example&) {
      const std::string& messages = row.text(a_.messages_column);
      return Prompt{messages, ids_of(opening().with(Conversation::parse(messages)))};
    });
  }

 private:
  Conversation opening() const { return a_.system.empty() ? Conversation() : Conversation().with("system", a_.system); }

  std::vector<int32_t> ids_of(const Conversation& conversation) const {
    ChatOptions options{.add_generation_prompt = true, .tools = {}, .variables = a_.chat_variables, .date = {}};
    // The template has already written the special tokens.
    return tokenizer_.encode(template_.apply(conversation, options), {.add_special_tokens = false}).ids;
  }

  const PromptOptions& a_;
  const ChatTemplate template_;
  const text::Tokenizer tokenizer_;
};

std::vector<Prompt> read_texts(const PromptOptions& a) {
  std::vector<Prompt> prompts;
  for (const std::string& text : a.prompts) prompts.push_back({text, {}});
  if (a.input.empty()) return prompts;
  const data::Dataset rows = data::read_table(a.input, {.columns = {a.text_column}});
  for (const data::Example& row : rows.iterate()) prompts.push_back({row.text(a.text_column), {}});
  return prompts;
}

std::vector<Prompt> read_conversations(const PromptOptions& a, const std::filesystem::path& model) {
  const ChatPrompts chats(a, model);
  std::vector<Prompt> prompts;
  for (const std::string& text : a.prompts) prompts.push_back(chats.of_user(text));
  if (a.input.empty()) return prompts;
  const bool has_texts = are_texts(a.input);
  const std::string column = has_texts ? a.text_column : a.messages_column;
  const data::Dataset rows = data::read_table(a.input, {.columns = {column}});
  for (const data::Example& row : rows.iterate()) {
    prompts.push_back(has_texts ? chats.of_user(row.text(column)) : chats.of_row(row));
  }
  return prompts;
}

}  // namespace

std::vector<Prompt> read_prompts(const PromptOptions& a, const std::filesystem::path& model) {
  if (a.prompts.empty() && a.input.empty()) {
    throw UsageError({.where = "generate", .given = "no prompt", .expected = "--prompt TEXT or --input FILE"});
  }
  if (a.chat) return read_conversations(a, model);
  if (a.system.empty() && a.chat_template.empty() && a.chat_variables.empty()) return read_texts(a);
  throw UsageError({.where = "generate",
                    .given = "--system or a chat template without --chat",
                    .expected = "--chat, if prompts are messages of a conversation"});
}

void require_same_prompts(ProcessGroup* processes, const std::vector<Prompt>& prompts) {
  std::string all;
  for (const Prompt& prompt : prompts) all += prompt.shown + '\0';
  const std::optional<int64_t> other = first_with_another(processes, io::hash_of(all));
  if (!other) return;
  throw DataError({.where = "prompts",
                   .given = fmt::format("different ones in process {} and process 0", *other),
                   .expected = "the same in all processes"});
}

}  // namespace portatune::run
