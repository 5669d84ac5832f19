// Text for terminals and logs: on one line, without control characters, wrapped to a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "portatune/error.h"

namespace portatune {

/// The where, given and expected parts on one line: "train.csv:17: 3 fields, expected 2 fields". Control characters
/// become blanks.
std::string one_line(const Report& report);

/// Maximal length of the text in one part of a message, in bytes before escaping.
inline constexpr size_t kLongestText = 4000;

/// The text without characters that could control a terminal or cut a message short. Escapes replace control characters
/// except newlines and tabs ("\x1b"), bytes that are not UTF-8, and characters of the second control block, C1
/// ("\u009b"). Text beyond kLongestText is cut and "..." follows.
std::string printable(std::string_view text);

/// The text with newlines in place of blanks, so that no line has more than `width` characters, except for longer
/// words. Lines after the first begin with `indent` blanks, which do not count. Newlines of the text stay.
std::string wrapped(std::string_view text, size_t width, size_t indent = 0);

}  // namespace portatune
