// Where a text is no UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace portatune {

/// What a character that begins at text[at] could be; it is well-formed if all bytes are there.
struct Utf8Sequence {
  size_t wanted;  ///< bytes that the first one asks for; 0 if none can begin with it
  size_t there;   ///< bytes that are there before one that does not fit
};
/// source  The Unicode Standard 15, table 3-7
Utf8Sequence utf8_sequence(std::string_view text, size_t at);

/// Index of the first byte that does not begin a well-formed character; std::string_view::npos if all is well. A byte
/// at a time: for the place of a fault that something faster has found.
size_t find_invalid_utf8(std::string_view text);

}  // namespace portatune
