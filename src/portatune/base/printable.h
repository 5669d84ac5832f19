// Text out of files as it may go to a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portatune {

/// The longest text in one part of a message, in bytes before characters are escaped.
inline constexpr size_t kLongestText = 4000;

/// The text with escapes in place of what could control a terminal or cut a message off: "\x1b" for control characters
/// but line ends and tabs, and for bytes that are no UTF-8; "\u009b" for those of the second control block (C1). What
/// is longer than kLongestText is cut, and "..." follows.
std::string printable(std::string_view text);

}  // namespace portatune
