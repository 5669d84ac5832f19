// Values as text: as {{ }} prints them, as Python's repr() and json.dumps() write them.
#pragma once

#include <optional>
#include <string>

#include "portatune/jinja/value.h"

namespace portatune::jinja {

/// str(value).
/// errors  Unsupported for values that Python would print with an address
std::string to_text(const Value& value);
std::string repr(const Value& value);

/// The arguments of json.dumps().
struct JsonStyle {
  bool ensure_ascii = false, sort_keys = false;
  std::optional<std::string> indent;  ///< one level of it; none: all on a line
  std::string between_items = ", ", behind_keys = ": ";
};
/// errors  Fault for values that JSON does not have
std::string to_json(const Value& value, const JsonStyle& style = {});

}  // namespace portatune::jinja
