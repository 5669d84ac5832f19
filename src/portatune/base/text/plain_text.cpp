#include "portatune/base/text/plain_text.h"

#include <algorithm>

#include "portatune/base/text/message.h"
#include "portatune/base/text/utf8.h"

namespace portatune {
namespace {

bool is_control_or_line_end(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

bool is_control(unsigned char byte) { return (byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7F; }

std::string digits_of(char byte) { return hexadecimal_byte(byte).substr(2); }

// A character of two to four bytes, escaped if it belongs to the second control block (C1).
std::string shown(std::string_view character) {
  const bool is_c1 = character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0;
  return is_c1 ? "\\u00" + digits_of(character[1]) : std::string(character);
}

// Number of characters: continuation bytes of UTF-8 do not count.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string one_line(const Report& report) {
  std::string line = report.where;
  if (!line.empty() && !report.given.empty()) line += ": ";
  line += report.given;
  if (!report.expected.empty()) line += (line.empty() ? "expected " : ", expected ") + report.expected;
  std::ranges::replace_if(line, is_control_or_line_end, ' ');
  return printable(line);
}

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

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  std::string lines;
  size_t used = 0;  // Width of the last line.
  bool at_start = true;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    if (!at_start && used + 1 + width_of(word) > width) {
      lines += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (!at_start) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += width_of(word);
    at_start = end < text.size() && text[end] == '\n';
    if (at_start) {
      lines += "\n" + std::string(indent, ' ');
      used = 0;
    }
    begin = end + 1;
  }
  return lines;
}

}  // namespace portatune
