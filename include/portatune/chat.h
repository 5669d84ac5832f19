// Conversations, rendered to the text of a chat model by the template of its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// A list of messages. Each has a "role" ("system", "user", "assistant", ...), mostly a "content", and further keys for
/// the template. A conversation is immutable; copies share their messages.
class Conversation {
 public:
  Conversation();
  /// Parses a conversation.
  /// json    a list of objects, as in {"messages": [...]}; keys that are null count as absent
  /// errors  DataError if it is anything else, or a message has no role
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
  bool add_generation_prompt = false;  ///< end with the opening of the assistant's next message
  std::string tools;                   ///< functions that the model may call, a list in JSON; empty: none
  std::string variables;  ///< further variables of the template, an object in JSON: {"enable_thinking": false}
  std::string date;       ///< today for templates that print the date: "2026-11-21"; empty: the system's date
};

/// A range of bytes in a text.
struct TextSpan {
  size_t begin = 0, end = 0;
  bool operator==(const TextSpan&) const = default;
};

struct ChatText {
  std::string text;
  std::vector<TextSpan> assistant;  ///< the assistant's words, with the end of its turns
};

/// The chat template of a model folder: chat_template.jinja, additional_chat_templates/NAME.jinja, or "chat_template"
/// in tokenizer_config.json, a text or a list of named texts. If there are several, "tool_use" applies when tools are
/// given, else "default". It renders as transformers 5.23.0 does. It is immutable, so threads may share it.
class ChatTemplate {
 public:
  /// The template of a folder.
  /// errors  CheckpointError if there is none, or one that Portatune cannot read (see jinja::Template)
  static ChatTemplate load(const std::filesystem::path& folder);
  /// The template of a folder; empty if there is none.
  static std::optional<ChatTemplate> find(const std::filesystem::path& folder);
  /// The template in `file`, with the special tokens of `folder`.
  static ChatTemplate load(const std::filesystem::path& folder, const std::filesystem::path& file);

  /// The text of a conversation. It contains special tokens: encode it without add_special_tokens.
  /// errors  DataError if the template refuses the conversation; UsageError for options that make no sense
  std::string apply(const Conversation& conversation, const ChatOptions& options = {}) const;

  /// The text of a conversation, and the parts of it that an assistant learns. These are the parts that the template
  /// marks with {% generation %}. If it marks none, they are what each message of the role "assistant" adds to the text
  /// before it with its generation prompt.
  /// errors  as above; DataError if the template marks nothing and the text of an earlier part of the conversation is
  ///         not a prefix of the whole, as with templates that drop earlier thoughts
  ChatText apply_with_spans(const Conversation& conversation, const ChatOptions& options = {}) const;

  /// True if texts depend on the date.
  bool tells_date() const;

  struct State;  ///< internal

 private:
  explicit ChatTemplate(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace portatune
