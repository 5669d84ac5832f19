#include "portatune/cli/predict/chat_prompts.h"

#include "portatune/chat.h"
#include "portatune/data.h"
#include "portatune/data/verbs/functions/user_function.h"
#include "portatune/error.h"
#include "portatune/hub/adapter.h"
#include "portatune/sources.h"
#include "portatune/text.h"

namespace portatune::cli {
namespace {

bool are_texts(const std::vector<std::string>& files) {
  return data::kind_extension(data::table_files(files).front()) == ".txt";
}

class ChatPrompts {
 public:
  explicit ChatPrompts(const GenerateArguments& a)
      : a_(a),
        template_(a.chat_template.empty() ? ChatTemplate::load(a.model) : ChatTemplate::load(a.model, a.chat_template)),
        tokenizer_(text::Tokenizer::load(hub::folder_of_settings(a.model))) {}

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

  const GenerateArguments& a_;
  const ChatTemplate template_;
  const text::Tokenizer tokenizer_;
};

std::vector<Prompt> read_texts(const GenerateArguments& a) {
  std::vector<Prompt> prompts;
  for (const std::string& text : a.prompts) prompts.push_back({text, {}});
  if (a.input.empty()) return prompts;
  const data::Dataset rows = data::read_table(a.input, {.columns = {a.text_column}});
  for (const data::Example& row : rows.iterate()) prompts.push_back({row.text(a.text_column), {}});
  return prompts;
}

std::vector<Prompt> read_conversations(const GenerateArguments& a) {
  const ChatPrompts chats(a);
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

std::vector<Prompt> read_prompts(const GenerateArguments& a) {
  if (a.prompts.empty() && a.input.empty()) {
    throw UsageError({.where = "generate", .given = "no prompt", .expected = "--prompt TEXT or --input FILE"});
  }
  if (a.chat) return read_conversations(a);
  if (a.system.empty() && a.chat_template.empty() && a.chat_variables.empty()) return read_texts(a);
  throw UsageError({.where = "generate",
                    .given = "--system or a chat template without --chat",
                    .expected = "--chat, if prompts are messages of a conversation"});
}

}  // namespace portatune::cli
