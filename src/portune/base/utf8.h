// Where a text is no UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace portune {

/// Bytes of the well-formed character at text[at]; 0 if there is none.
/// source  The Unicode Standard 15, table 3-7
size_t utf8_length(std::string_view text, size_t at);

/// Index of the first byte that does not begin a well-formed character; std::string_view::npos if all is well. A byte
/// at a time: for the place of a fault that something faster has found.
size_t find_invalid_utf8(std::string_view text);

}  // namespace portune
