// String literals as Python reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portatune::jinja {

/// The text between the quotes with its escapes resolved; what is no escape stays, with its backslash. Nothing for a
/// code point that does not exist, and for \N{...}, which this interpreter lacks.
std::optional<std::string> unescaped(std::string_view literal);

}  // namespace portatune::jinja
