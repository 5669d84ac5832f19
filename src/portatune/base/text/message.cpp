#include "portatune/base/text/message.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "portatune/base/text/number.h"
#include "portatune/base/text/utf8.h"

namespace portatune {
namespace {

// The first bytes of a text, at most `max_bytes`, never ending within a UTF-8 character.
std::string_view beginning(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

// The optimal string alignment distance.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

// The form of a name that nearest() compares: "--Batch_size" and "--batch-size" are equal.
std::string letters_of(std::string_view name) {
  std::string letters = lower_case(name);
  std::erase_if(letters, [](char c) { return c == '-' || c == '_'; });
  return letters;
}

}  // namespace

std::string to_text(double value) {
  if (std::isnan(value)) return "nan";  // without the sign that std::to_chars writes for a negative NaN
  std::array<char, 32> digits;
  const auto written = std::to_chars(digits.begin(), digits.end(), value);
  return {digits.data(), written.ptr};
}

std::string counted(int64_t count, std::string_view what) {
  return grouped(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string hexadecimal(uint64_t bits) {
  std::string digits(16, '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, bits /= 16) {
    *digit = "0123456789abcdef"[bits % 16];
  }
  return digits;
}

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string digits;
  for (const unsigned char byte : bytes) digits += hexadecimal(uint64_t{byte}).substr(14);
  return digits;
}

std::string hexadecimal_byte(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return "0x" + hexadecimal(std::span(&value, 1));
}

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

std::string nearest(std::string_view typed, const std::vector<std::string>& names) {
  // The table of edits() has quadratic size; no name is that long.
  if (typed.size() > 100) return {};
  const std::string letters = letters_of(typed);
  const size_t max_edits = std::max<size_t>(1, letters.size() / 4);
  std::string best;
  size_t fewest = max_edits + 1;
  for (const std::string& name : names) {
    const std::string other = letters_of(name);
    if (other.size() >= letters.size() + fewest) continue;  // the distance is at least the difference of the lengths
    const size_t distance = edits(letters, other);
    if (distance >= fewest) continue;
    fewest = distance;
    best = name;
  }
  return best;
}

std::string suggestion(const std::string& name) { return name.empty() ? "" : "did you mean " + name + "?"; }

}  // namespace portatune
