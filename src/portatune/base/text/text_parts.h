// Parts of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// The parts of a text between separators, empty ones too: "a,,b" has three, and an empty text has one.
std::vector<std::string> split(std::string_view text, char separator);

/// The text without blanks, tabs and line ends at its ends.
std::string_view trimmed(std::string_view text);

/// Whether a text begins like `begin`, in which '?' is any byte.
bool begins_like(std::string_view text, std::string_view begin);

}  // namespace portatune
