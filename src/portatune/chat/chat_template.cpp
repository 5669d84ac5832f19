#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/chat.h"
#include "portatune/chat/conversation.h"
#include "portatune/chat/dates.h"
#include "portatune/chat/jinja/template.h"
#include "portatune/chat/json.h"
#include "portatune/chat/template_files.h"
#include "portatune/error.h"
#include "portatune/text/read/spec.h"

namespace portatune {
namespace {

using Pairs = std::vector<std::pair<jinja::Value, jinja::Value>>;

// The special tokens that the tokenizer's files name: "bos_token" and so on.
Pairs special_tokens(const std::filesystem::path& folder) {
  const text::TokenizerConfig config = text::read_tokenizer_config(folder);
  const std::pair<const char*, const std::optional<text::AddedToken>&> kNamed[] = {
      {"bos_token", config.bos_token},  {"eos_token", config.eos_token}, {"unk_token", config.unk_token},
      {"sep_token", config.sep_token},  {"pad_token", config.pad_token}, {"cls_token", config.cls_token},
      {"mask_token", config.mask_token}};
  Pairs tokens;
  for (const auto& [name, token] : kNamed) {
    if (token) tokens.emplace_back(name, token->content);
  }
  return tokens;
}

struct Named {
  jinja::Template source;
  bool tells_date;
};

}  // namespace

struct ChatTemplate::State {
  std::map<std::string, Named> templates;
  Pairs tokens;

  void add(const std::string& name, const chat::TemplateSource& source) {
    templates.emplace(
        name, Named{jinja::Template(source.text, source.where), source.text.find("strftime_now") != std::string::npos});
  }

  const Named& chosen(bool has_tools) const {
    const auto for_tools = templates.find("tool_use");
    if (has_tools && for_tools != templates.end()) return for_tools->second;
    const auto usual = templates.find("default");
    if (usual != templates.end()) return usual->second;
    throw CheckpointError({.where = "chat template",
                           .given = "several templates without a default",
                           .fix = "pass the file of one of them"});
  }

  jinja::Rendered render(const Conversation& conversation, const ChatOptions& options,
                         bool add_generation_prompt) const {
    Pairs variables = tokens;
    variables.emplace_back("messages", jinja::make_list(conversation.state().messages));
    const bool has_tools = !options.tools.empty();
    variables.emplace_back(
        "tools", has_tools ? jinja::from_json(chat::parse_json(options.tools, "tools", "a list of functions in JSON"))
                           : jinja::Value(jinja::None{}));
    variables.emplace_back("documents", jinja::None{});
    variables.emplace_back("add_generation_prompt", add_generation_prompt);
    if (!options.variables.empty()) add_to(variables, options.variables);
    return chosen(has_tools).source.render(jinja::make_dict(std::move(variables)), chat::time_of(options.date));
  }

 private:
  static void add_to(Pairs& variables, const std::string& json) {
    constexpr const char* kVariables = R"(an object in JSON, {"enable_thinking": false})";
    const nlohmann::ordered_json object = chat::parse_json(json, "variables of the chat template", kVariables);
    if (!object.is_object()) {
      throw UsageError(
          {.where = "variables of the chat template", .given = shortened(json, 60), .expected = kVariables});
    }
    for (const auto& [name, value] : object.items()) variables.emplace_back(name, jinja::from_json(value));
  }
};

std::optional<ChatTemplate> ChatTemplate::find(const std::filesystem::path& folder) {
  auto state = std::make_shared<State>();
  for (const auto& [name, source] : chat::find_templates(folder)) state->add(name, source);
  if (state->templates.empty()) return std::nullopt;
  state->tokens = special_tokens(folder);
  return ChatTemplate(std::move(state));
}

ChatTemplate ChatTemplate::load(const std::filesystem::path& folder) {
  if (std::optional<ChatTemplate> found = find(folder)) return *found;
  throw CheckpointError({.where = folder.string(),
                         .given = "no chat template",
                         .expected = "chat_template.jinja, or \"chat_template\" in tokenizer_config.json",
                         .fix = "use a model that was trained for conversations, or pass a template file"});
}

ChatTemplate ChatTemplate::load(const std::filesystem::path& folder, const std::filesystem::path& file) {
  auto state = std::make_shared<State>();
  state->add("default", chat::read_template(file));
  state->tokens = special_tokens(folder);
  return ChatTemplate(std::move(state));
}

std::string ChatTemplate::apply(const Conversation& conversation, const ChatOptions& options) const {
  return state_->render(conversation, options, options.add_generation_prompt).text;
}

ChatText ChatTemplate::apply_with_spans(const Conversation& conversation, const ChatOptions& options) const {
  jinja::Rendered whole = state_->render(conversation, options, options.add_generation_prompt);
  ChatText result{.text = std::move(whole.text), .assistant = {}};
  for (const auto& [begin, end] : whole.generations) result.assistant.push_back({begin, end});
  if (state_->chosen(!options.tools.empty()).source.marks_generations()) return result;

  const auto require_prefix = [&](std::string_view text, std::string_view prefix, size_t messages) {
    if (text.starts_with(prefix)) return;
    throw DataError(
        {.where = "chat template",
         .given = "a conversation whose first " + std::to_string(messages) +
                  " messages give another text alone than within it, so the assistant's words cannot be located",
         .expected = "the same text, or {% generation %} around the assistant's words in the template",
         .fix = "pass a template with {% generation %}, or use rows with a prompt and a completion"});
  };
  for (size_t i = 0; i < conversation.size(); ++i) {
    if (conversation.role(i) != "assistant") continue;
    // The text before the first message is empty. Not every template renders an empty conversation.
    const std::string before = i == 0 ? "" : state_->render(conversation.first(i), options, true).text;
    const std::string with = state_->render(conversation.first(i + 1), options, false).text;
    require_prefix(with, before, i);
    require_prefix(result.text, with, i + 1);
    result.assistant.push_back({before.size(), with.size()});
  }
  return result;
}

bool ChatTemplate::tells_date() const {
  return std::ranges::any_of(state_->templates, [](const auto& named) { return named.second.tells_date; });
}

}  // namespace portatune
