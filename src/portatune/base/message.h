// How values are shown in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace portatune {

/// The fewest digits that give this number again: "0.1", "3e-05", "nan".
std::string to_text(double value);

/// "1 row", "2 rows".
std::string counted(int64_t count, std::string_view what);

/// 16 hex digits.
std::string hexadecimal(uint64_t bits);
/// "0x0a".
std::string hexadecimal_byte(char byte);

/// A text that may be of any length, in quotes: 'label'. One of more than `most_bytes` is cut between two characters,
/// and "..." follows.
std::string in_quotes(std::string_view text, size_t most_bytes = 200);
/// The same without quotes.
std::string shortened(std::string_view text, size_t most_bytes = 200);

/// "a, b, c"; of more than `most` names the first ones "and 5 more".
std::string list_of(std::span<const std::string> names, size_t most = 20);

}  // namespace portatune
