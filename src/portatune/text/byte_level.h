// The alphabet of byte-level models: a printable character for each byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portatune::text {

/// The character that stands for a byte: itself where it is printable, U+0100 and following for the others.
/// source    Radford et al. 2019, GPT-2's encoder.py, bytes_to_unicode()
char32_t character_of_byte(unsigned char byte);
/// In UTF-8. Valid for ever.
std::string_view text_of_byte(unsigned char byte);
/// The byte that a character stands for, if any.
std::optional<unsigned char> byte_of_character(char32_t c);
/// The bytes that a token stands for, or empty if it has a character that stands for none.
std::optional<std::string> bytes_of_token(std::string_view token);

}  // namespace portatune::text
