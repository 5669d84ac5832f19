// Text from files that is safe to show on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portatune {

/// Maximal length of the text in one part of a message, in bytes before escaping.
inline constexpr size_t kLongestText = 4000;

/// The text without characters that could control a terminal or cut a message short. Escapes replace control characters
/// except newlines and tabs ("\x1b"), bytes that are not UTF-8, and characters of the second control block, C1
/// ("\u009b"). Text beyond kLongestText is cut and "..." follows.
std::string printable(std::string_view text);

}  // namespace portatune
