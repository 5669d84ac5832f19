// Conversations as the text that a chat model reads and writes: by the template in its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// Messages in their order, each of which has a "role" ("system", "user", "assistant", ...), mostly a "content", and
/// whatever else the template reads. Immutable; copies share their messages.
class Conversation {
 public:
  Conversation();
  /// json    a list of objects, as in {"messages": [...]}; keys that are null count as absent
  /// errors  DataError if it is anything else, or has no role
  static Conversation parse(std::string_view json);

  Conversation with(std::string_view role, std::string_view content) const;
  Conversation with(const Conversation& others) const;
  Conversation first(size_t count) const;

  size_t size() const;
  const std::string& role(size_t i) const;

  struct State;  ///< internal
  const State& state() const { return *state_; }

 private:
  explicit Conversation(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

struct ChatOptions {
  bool add_generation_prompt = false;  ///< end with what the assistant's next message begins with
  std::string tools;                   ///< functions that the model may call: a list in JSON; empty: none
  std::string variables;  ///< whatever else the template asks for, an object in JSON: {"enable_thinking": false}
  std::string date;       ///< what templates that tell the date take for today: "2026-11-21"; empty: today
};

/// Bytes of a text.
struct TextSpan {
  size_t begin = 0, end = 0;
  bool operator==(const TextSpan&) const = default;
};

struct ChatText {
  std::string text;
  std::vector<TextSpan> assistant;  ///< what the assistant says there, the end of its turns included
};

/// The chat template of a model folder: chat_template.jinja, additional_chat_templates/NAME.jinja, or "chat_template"
/// in tokenizer_config.json, a text or a list of named ones. Of several, "tool_use" is taken where there are tools,
/// else "default". Renders as transformers 5.23.0 does. Immutable, hence safe to share between threads.
class ChatTemplate {
 public:
  /// errors  CheckpointError if there is none, or one that Portatune cannot read (see jinja::Template)
  static ChatTemplate load(const std::filesystem::path& folder);
  /// Nothing if there is none.
  static std::optional<ChatTemplate> find(const std::filesystem::path& folder);
  /// That of a file, with the special tokens of the folder.
  static ChatTemplate load(const std::filesystem::path& folder, const std::filesystem::path& file);

  /// The text of a conversation. Special tokens are in it: encode it without add_special_tokens.
  /// errors  DataError for one that the template refuses; UsageError for options that make no sense
  std::string apply(const Conversation& conversation, const ChatOptions& options = {}) const;

  /// The same, and what of it an assistant learns to say: what the template marks as {% generation %} or, if it marks
  /// nothing, what each message of the role "assistant" adds to the text before it with its generation prompt.
  /// errors  as above; DataError if nothing is marked and an earlier part of the conversation is not where the whole
  ///         begins, as with templates that leave earlier thoughts out
  ChatText apply_with_spans(const Conversation& conversation, const ChatOptions& options = {}) const;

  /// Whether texts depend on the date.
  bool tells_date() const;

  struct State;  ///< internal

 private:
  explicit ChatTemplate(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace portatune
