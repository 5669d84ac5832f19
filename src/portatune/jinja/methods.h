// Methods of texts, lists and dicts.
#pragma once

#include <optional>
#include <string_view>

#include "portatune/jinja/value.h"

namespace portatune::jinja {

/// The method bound to its value; nothing if the type has none of this name. Methods that change their value are not
/// there, as the sandbox of chat templates has it.
std::optional<Value> method_of(const Value& value, std::string_view name);

}  // namespace portatune::jinja
