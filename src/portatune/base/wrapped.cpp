#include "portatune/base/wrapped.h"

#include <algorithm>

namespace portatune {
namespace {

// Number of characters: continuation bytes of UTF-8 do not count.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

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
