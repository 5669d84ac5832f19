#include "portatune/text/byte_level.h"

#include <array>

#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

constexpr char32_t kFirstSubstitute = 0x100, kSubstitutes = 68;

constexpr bool stands_for_itself(char32_t byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
}

struct Alphabet {
  std::array<char32_t, 256> characters{};
  std::array<std::string, 256> texts;
  std::array<unsigned char, kSubstitutes> substituted{};

  Alphabet() {
    char32_t next = 0;
    for (char32_t byte = 0; byte < 256; ++byte) {
      if (!stands_for_itself(byte)) substituted[next] = static_cast<unsigned char>(byte);
      characters[byte] = stands_for_itself(byte) ? byte : kFirstSubstitute + next++;
      append_utf8(characters[byte], texts[byte]);
    }
  }

  static const Alphabet& get() {
    static const Alphabet alphabet;
    return alphabet;
  }
};

}  // namespace

char32_t character_of_byte(unsigned char byte) { return Alphabet::get().characters[byte]; }

std::string_view text_of_byte(unsigned char byte) { return Alphabet::get().texts[byte]; }

std::optional<unsigned char> byte_of_character(char32_t c) {
  if (c < 256) return stands_for_itself(c) ? std::optional(static_cast<unsigned char>(c)) : std::nullopt;
  const char32_t index = c - kFirstSubstitute;
  return index < kSubstitutes ? std::optional(Alphabet::get().substituted[index]) : std::nullopt;
}

std::optional<std::string> bytes_of_token(std::string_view token) {
  std::string bytes;
  for (size_t at = 0; at < token.size();) {
    const auto byte = byte_of_character(next_code_point(token, at));
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

}  // namespace portatune::text
