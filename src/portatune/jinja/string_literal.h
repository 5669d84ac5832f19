// String literals as in Python.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portatune::jinja {

/// The text between the quotes with its escapes resolved. Invalid escapes stay, with their backslash. Empty for a code
/// point that does not exist, and for \N{...}, which this interpreter lacks.
std::optional<std::string> unescaped(std::string_view literal);

}  // namespace portatune::jinja
