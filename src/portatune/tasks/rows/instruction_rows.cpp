#include "portatune/tasks/rows/instruction_rows.h"

#include <algorithm>

#include "portatune/error.h"
#include "portatune/tasks/objectives/objectives.h"
#include "portatune/tasks/rows/row_json.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

std::optional<ChatTemplate> template_of(const std::filesystem::path& model, const InstructionOptions& options) {
  if (!options.chat_template.empty()) return ChatTemplate::load(model, options.chat_template);
  const bool needs_one = !options.messages_column.empty() || options.as_messages;
  return needs_one ? ChatTemplate::load(model) : ChatTemplate::find(model);
}

InstructionOptions checked(InstructionOptions options) {
  const bool has_pair = !options.prompt_column.empty() && !options.completion_column.empty();
  const bool has_part = !options.prompt_column.empty() || !options.completion_column.empty();
  if (options.messages_column.empty() ? has_pair : !has_part) return options;
  throw UsageError({.where = "columns of instruction data",
                    .given = "messages \"" + options.messages_column + "\", prompt \"" + options.prompt_column +
                             "\", completion \"" + options.completion_column + "\"",
                    .expected = "a column of messages, or one of prompts and one of completions"});
}

// The first token from `first` on that contains a character; none if normalisation changed the text before
// tokenisation.
std::optional<size_t> token_at(const std::vector<text::Offsets>& offsets, size_t first, int64_t character) {
  const auto is_there = [&](const text::Offsets& token) { return token.begin <= character && character < token.end; };
  const auto found = std::find_if(offsets.begin() + static_cast<std::ptrdiff_t>(first), offsets.end(), is_there);
  return found == offsets.end() ? std::nullopt : std::optional(static_cast<size_t>(found - offsets.begin()));
}

LabelledTokens labelled(std::vector<int32_t> ids, const std::vector<bool>& is_learnt) {
  std::vector<int32_t> labels(ids.size(), kNoLabel);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (is_learnt[i]) labels[i] = ids[i];
  }
  return {std::move(ids), std::move(labels)};
}

// A prompt's last tokens may differ alone and before a completion: learning starts at the first difference.
LabelledTokens labelled_after(const std::vector<int32_t>& prompt, std::vector<int32_t> both) {
  const auto common = static_cast<size_t>(std::ranges::mismatch(prompt, both).in2 - both.begin());
  std::vector<bool> is_learnt(both.size(), true);
  std::fill_n(is_learnt.begin(), common, false);
  return labelled(std::move(both), is_learnt);
}

std::optional<Conversation> conversation_in(const std::string& text) {
  if (!text.starts_with('[')) return std::nullopt;
  try {
    return Conversation::parse(text);
  } catch (const DataError&) {
    return std::nullopt;  // a text that only begins like a list
  }
}

}  // namespace

std::vector<bool> tokens_of_spans(const std::string& text, const std::vector<TextSpan>& spans,
                                  const std::vector<text::Offsets>& offsets) {
  std::vector<bool> is_in(offsets.size(), false);
  size_t byte = 0, token = 0;
  int64_t character = 0;
  // Spans are in order, so the search for each starts at the one before.
  const auto character_at = [&](size_t at) {
    character += static_cast<int64_t>(text::count_code_points(std::string_view(text).substr(byte, at - byte)));
    byte = at;
    return character;
  };
  for (const TextSpan& span : spans) {
    if (span.begin == span.end) continue;
    const std::optional<size_t> first = token_at(offsets, token, character_at(span.begin));
    if (!first) break;
    const size_t last = token_at(offsets, *first, character_at(span.end) - 1).value_or(offsets.size() - 1);
    for (size_t i = *first; i <= last; ++i) is_in[i] = true;
    token = last;
  }
  return is_in;
}

InstructionRows::InstructionRows(const std::filesystem::path& model, const text::Tokenizer& tokenizer,
                                 InstructionOptions options)
    : tokenizer_(tokenizer),
      options_(checked(std::move(options))),
      model_(model.string()),
      template_(template_of(model, options_)) {}

std::vector<std::string> InstructionRows::columns() const {
  if (!options_.messages_column.empty()) return {options_.messages_column};
  std::vector<std::string> columns = {options_.prompt_column, options_.completion_column};
  if (!options_.input_column.empty()) columns.push_back(options_.input_column);
  return columns;
}

LabelledTokens InstructionRows::encode(const data::Example& row) const {
  return options_.messages_column.empty() ? encode_completion(row) : encode_conversation(row);
}

const ChatTemplate& InstructionRows::chat_template() const {
  if (template_) return *template_;
  throw CheckpointError({.where = model_,
                         .given = "no chat template, and rows with lists of messages",
                         .expected = "chat_template.jinja, or \"chat_template\" in tokenizer_config.json"});
}

LabelledTokens InstructionRows::encode_conversation(const data::Example& row) const {
  const Conversation conversation = Conversation::parse(row.text(options_.messages_column));
  const ChatText chat = chat_template().apply_with_spans(conversation, options_.chat);
  if (chat.assistant.empty()) {
    throw bad_column(row, options_.messages_column, "a message of the assistant, the text to learn");
  }
  text::Encoding tokens = tokenizer_.encode(chat.text, {.add_special_tokens = false, .with_offsets = true});
  const std::vector<bool> is_learnt = tokens_of_spans(chat.text, chat.assistant, tokens.offsets);
  return labelled(std::move(tokens.ids), is_learnt);
}

std::vector<int32_t> InstructionRows::ids_of(const Conversation& conversation, bool add_generation_prompt) const {
  ChatOptions options = options_.chat;
  options.add_generation_prompt = add_generation_prompt;
  const std::string text = chat_template().apply(conversation, options);
  return tokenizer_.encode(text, {.add_special_tokens = false}).ids;
}

std::string InstructionRows::prompt_of(const data::Example& row) const {
  const std::string& prompt = row.text(options_.prompt_column);
  if (options_.input_column.empty() || row.text(options_.input_column).empty()) return prompt;
  return prompt + "\n\n" + row.text(options_.input_column);
}

LabelledTokens InstructionRows::encode_completion(const data::Example& row) const {
  const std::string prompt = prompt_of(row);
  const std::string& completion = row.text(options_.completion_column);
  if (options_.as_messages) {
    return encode_messages(Conversation().with("user", prompt), Conversation().with("assistant", completion));
  }
  const std::optional<Conversation> asked = conversation_in(prompt), said = conversation_in(completion);
  if (asked && said) return encode_messages(*asked, *said);
  if (!asked && !said) return encode_texts(prompt, completion);
  throw bad_column(row, asked ? options_.completion_column : options_.prompt_column,
                   "a list of messages, as in the row's other column");
}

LabelledTokens InstructionRows::encode_messages(const Conversation& prompt, const Conversation& completion) const {
  return labelled_after(ids_of(prompt, true), ids_of(prompt.with(completion), false));
}

LabelledTokens InstructionRows::encode_texts(const std::string& prompt, std::string completion) const {
  if (const std::optional<int32_t> eos = tokenizer_.eos_id()) {
    const std::string_view end = tokenizer_.id_to_token(*eos);
    if (!completion.ends_with(end)) completion += end;
  }
  return labelled_after(tokenizer_.encode(prompt).ids, tokenizer_.encode(prompt + completion).ids);
}

}  // namespace portatune::tasks
