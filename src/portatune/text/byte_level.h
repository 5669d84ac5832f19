// The alphabet of byte-level models, with a printable character for each byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portatune::text {

/// The character of a byte: the byte itself if it is printable, else U+0100 and following.
/// source    Radford et al. 2019, GPT-2's encoder.py, bytes_to_unicode()
char32_t character_of_byte(unsigned char byte);
/// The same character in UTF-8. The view is always valid.
std::string_view text_of_byte(unsigned char byte);
/// The byte of a character, if it has one.
std::optional<unsigned char> byte_of_character(char32_t c);
/// The bytes of a token; empty if a character of it has no byte.
std::optional<std::string> bytes_of_token(std::string_view token);

}  // namespace portatune::text
