// What a Conversation is made of.
#pragma once

#include <string>
#include <vector>

#include "portune/chat.h"
#include "portune/jinja/value.h"

namespace portune {

struct Conversation::State {
  std::vector<jinja::Value> messages;  ///< dicts, as templates see them
  std::vector<std::string> roles;
};

}  // namespace portune
