#include "portatune/base/message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace portatune {
namespace {

// The first bytes of a text, at most `max_bytes`, never ending within a UTF-8 character.
std::string_view beginning(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

std::string to_text(double value) {
  if (std::isnan(value)) return "nan";  // without the sign that std::to_chars writes for a negative NaN
  std::array<char, 32> digits;
  const auto written = std::to_chars(digits.begin(), digits.end(), value);
  return {digits.data(), written.ptr};
}

std::string counted(int64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string hexadecimal(uint64_t bits) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, bits /= 16) {
    *digit = "0123456789abcdef"[bits % 16];
  }
  return digits;
}

std::string hexadecimal_byte(char byte) { return "0x" + hexadecimal(static_cast<unsigned char>(byte)).substr(14); }

std::string in_quotes(std::string_view text, size_t max_bytes) {
  const std::string_view shown = beginning(text, max_bytes);
  return "'" + std::string(shown) + (shown.size() < text.size() ? "'..." : "'");
}

std::string shortened(std::string_view text, size_t max_bytes) {
  const std::string_view shown = beginning(text, max_bytes);
  return std::string(shown) + (shown.size() < text.size() ? "..." : "");
}

std::string list_of(std::span<const std::string> names, size_t max) {
  std::string text;
  for (const std::string& name : names.first(std::min(names.size(), max))) {
    text += (text.empty() ? "" : ", ") + name;
  }
  if (names.size() > max) text += " and " + std::to_string(names.size() - max) + " more";
  return text;
}

}  // namespace portatune
