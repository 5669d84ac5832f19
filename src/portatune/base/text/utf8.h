// ASCII characters, independent of the locale, and detection of invalid UTF-8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace portatune {

/// The text with a to z in place of A to Z. Other bytes are unchanged.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

/// A character that begins at text[at]. It is well-formed if all of its bytes are there.
struct Utf8Sequence {
  size_t wanted;  ///< number of bytes that the first byte requires; 0 if no character begins with it
  size_t there;   ///< number of bytes before one that does not fit
};
/// source  The Unicode Standard 15, table 3-7
Utf8Sequence utf8_sequence(std::string_view text, size_t at);

/// Index of the first byte that does not begin a well-formed character; std::string_view::npos for valid text. Reads
/// byte by byte: meant for locating an error that a faster check has found.
size_t find_invalid_utf8(std::string_view text);

}  // namespace portatune
