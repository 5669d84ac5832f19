// Values as text: as {{ }} prints them, and as Python's repr() and json.dumps() write them.
#pragma once

#include <optional>
#include <string>

#include "portatune/chat/jinja/value.h"

namespace portatune::jinja {

/// The result of Python's str(value).
/// errors  Unsupported for values that Python would print with an address
std::string to_text(const Value& value);
std::string repr(const Value& value);

/// The arguments of json.dumps().
struct JsonStyle {
  bool ensure_ascii = false, sort_keys = false;
  std::optional<std::string> indent;  ///< indentation of one level; none: everything on one line
  std::string between_items = ", ", behind_keys = ": ";
};
/// Writes a value as JSON.
/// errors  Fault for values that JSON cannot represent
std::string to_json(const Value& value, const JsonStyle& style = {});

}  // namespace portatune::jinja
