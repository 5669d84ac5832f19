// Segments: parts of a text that can be encoded separately.
#pragma once

#include <cstddef>
#include <string_view>

namespace portatune::text {

/// A printable ASCII character other than the space. It never changes adjacent characters, and only marks after it
/// change it.
inline bool is_visible(char c) { return c > ' ' && c <= '~'; }

/// True if a segment may begin at text[at]: at a single space between two visible ASCII characters.
inline bool is_segment_start(std::string_view text, size_t at) {
  return text[at] == ' ' && is_visible(text[at - 1]) && at + 1 < text.size() && is_visible(text[at + 1]);
}

/// True if a text may be split into segments: it must begin as a segment does.
inline bool has_segments(std::string_view text) {
  return !text.empty() && (is_visible(text[0]) || (text[0] == ' ' && text.size() > 1 && is_visible(text[1])));
}

/// The end of the segment that begins at `begin`.
inline size_t end_of_segment(std::string_view text, size_t begin) {
  size_t at = text.find(' ', begin + 1);
  while (at != std::string_view::npos && !is_segment_start(text, at)) at = text.find(' ', at + 1);
  return at == std::string_view::npos ? text.size() : at;
}

}  // namespace portatune::text
