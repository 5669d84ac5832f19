// Methods of texts, lists and dicts.
#pragma once

#include <optional>
#include <string_view>

#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {

/// The method bound to its value; empty if the type has no method of this name. Methods that change their value are
/// missing, as in the sandbox of chat templates.
std::optional<Value> method_of(const Value& value, std::string_view name);

}  // namespace portatune::jinja
