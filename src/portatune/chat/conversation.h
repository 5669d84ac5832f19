// What a Conversation is made of.
#pragma once

#include <string>
#include <vector>

#include "portatune/chat.h"
#include "portatune/jinja/value.h"

namespace portatune {

struct Conversation::State {
  std::vector<jinja::Value> messages;  ///< dicts, as templates see them
  std::vector<std::string> roles;
};

}  // namespace portatune
