// The internal state of a Conversation.
#pragma once

#include <string>
#include <vector>

#include "portatune/chat.h"
#include "portatune/chat/jinja/value.h"

namespace portatune {

struct Conversation::State {
  std::vector<jinja::Value> messages;  ///< dicts for the templates
  std::vector<std::string> roles;
};

}  // namespace portatune
