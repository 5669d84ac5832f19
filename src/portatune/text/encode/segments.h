// Pieces of a text of which each can be encoded by itself.
#pragma once

#include <cstddef>
#include <string_view>

namespace portatune::text {

/// Of ASCII: printable, and not the space. Never changes what stands beside it and, but for marks behind it, is not
/// changed by that.
inline bool is_visible(char c) { return c > ' ' && c <= '~'; }

/// Whether a segment may begin at text[at]: at a single space between two visible ASCII characters.
inline bool is_segment_start(std::string_view text, size_t at) {
  return text[at] == ' ' && is_visible(text[at - 1]) && at + 1 < text.size() && is_visible(text[at + 1]);
}

/// Whether a text may be cut into segments: its beginning has to be as plain as theirs.
inline bool has_segments(std::string_view text) {
  return !text.empty() && (is_visible(text[0]) || (text[0] == ' ' && text.size() > 1 && is_visible(text[1])));
}

/// Where the segment ends that begins at `begin`.
inline size_t end_of_segment(std::string_view text, size_t begin) {
  size_t at = text.find(' ', begin + 1);
  while (at != std::string_view::npos && !is_segment_start(text, at)) at = text.find(' ', at + 1);
  return at == std::string_view::npos ? text.size() : at;
}

}  // namespace portatune::text
