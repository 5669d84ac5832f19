#include "portatune/base/printable.h"

#include "portatune/base/message.h"
#include "portatune/base/utf8.h"

namespace portatune {
namespace {

bool is_control(unsigned char byte) { return (byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7F; }

std::string digits_of(char byte) { return hexadecimal_byte(byte).substr(2); }

// A character of two to four bytes, escaped if it belongs to the second control block (C1).
std::string shown(std::string_view character) {
  const bool is_c1 = character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0;
  return is_c1 ? "\\u00" + digits_of(character[1]) : std::string(character);
}

}  // namespace

std::string printable(std::string_view text) {
  const std::string bounded = shortened(text, kLongestText);
  std::string result;
  result.reserve(bounded.size());
  for (size_t at = 0; at < bounded.size();) {
    const auto [wanted, there] = utf8_sequence(bounded, at);
    const bool is_whole = wanted > 0 && there == wanted;
    if (is_whole && wanted > 1) {
      result += shown(std::string_view(bounded).substr(at, wanted));
    } else if (is_whole && !is_control(static_cast<unsigned char>(bounded[at]))) {
      result += bounded[at];
    } else {
      result += "\\x" + digits_of(bounded[at]);
    }
    at += is_whole ? wanted : 1;
  }
  return result;
}

}  // namespace portatune
