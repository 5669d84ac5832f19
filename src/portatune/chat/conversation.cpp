#include "portatune/chat/conversation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/chat/jinja/template.h"
#include "portatune/chat/json.h"
#include "portatune/error.h"

namespace portatune {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExpected = R"(a list of messages in JSON, [{"role": "user", "content": "..."}, ...])";

// Keys of a message that hold thoughts. Templates get them as the first of these names and as "thinking".
const char* const kThoughts[] = {"reasoning_content", "thinking", "reasoning"};

// A message as transformers passes it to templates: without nulls, and with thoughts under both names.
Json for_templates(const Json& message) {
  Json result = Json::object();
  const auto thoughts = std::ranges::find_if(
      kThoughts, [&](const char* name) { return message.contains(name) && !message[name].is_null(); });
  if (thoughts != std::end(kThoughts)) result["thinking"] = message[*thoughts];
  for (const auto& [key, value] : message.items()) {
    if (!value.is_null()) result[key] = value;
  }
  if (thoughts != std::end(kThoughts)) result[kThoughts[0]] = message[*thoughts];
  return result;
}

}  // namespace

Conversation::Conversation() : state_(std::make_shared<const State>()) {}

Conversation Conversation::parse(std::string_view json) {
  const Json list = chat::parse_json(json, "a conversation", kExpected);
  auto state = std::make_shared<State>();
  const auto is_message = [](const Json& message) {
    return message.is_object() && message.contains("role") && message["role"].is_string();
  };
  if (!list.is_array() || !std::ranges::all_of(list, is_message)) {
    throw DataError({.where = "a conversation", .given = shortened(json, 60), .expected = kExpected});
  }
  for (const Json& message : list) {
    state->messages.push_back(jinja::from_json(for_templates(message)));
    state->roles.push_back(message["role"].get<std::string>());
  }
  return Conversation(std::move(state));
}

Conversation Conversation::with(std::string_view role, std::string_view content) const {
  auto state = std::make_shared<State>(*state_);
  state->messages.push_back(jinja::make_dict({{"role", role}, {"content", content}}));
  state->roles.emplace_back(role);
  return Conversation(std::move(state));
}

Conversation Conversation::with(const Conversation& others) const {
  auto state = std::make_shared<State>(*state_);
  state->messages.insert(state->messages.end(), others.state_->messages.begin(), others.state_->messages.end());
  state->roles.insert(state->roles.end(), others.state_->roles.begin(), others.state_->roles.end());
  return Conversation(std::move(state));
}

Conversation Conversation::first(size_t count) const {
  auto state = std::make_shared<State>(*state_);
  state->messages.resize(std::min(count, state->messages.size()));
  state->roles.resize(state->messages.size());
  return Conversation(std::move(state));
}

size_t Conversation::size() const { return state_->messages.size(); }
const std::string& Conversation::role(size_t i) const { return state_->roles.at(i); }

}  // namespace portatune
