#include "portatune/text/postprocess/post_processor.h"

#include <algorithm>

#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

constexpr char32_t kByteLevelSpace = U'\u0120';

bool is_space(char32_t c) { return c == kByteLevelSpace || (UnicodeTables::get().properties(c) & kSpace) != 0; }

int32_t leading_spaces(std::string_view token) {
  int32_t count = 0;
  for (size_t at = 0; at < token.size() && is_space(next_code_point(token, at));) ++count;
  return count;
}

int32_t trailing_spaces(std::string_view token) {
  int32_t count = 0;
  for (size_t end = token.size(); end > 0 && is_space(previous_code_point(token, end)); ++count) {
    do --end;
    while (is_continuation(token[end]));
  }
  return count;
}

}  // namespace

SpacesAtEnds spaces_of(std::string_view token) {
  return {.leading = leading_spaces(token), .trailing = trailing_spaces(token)};
}

Offsets TrimOffsets::trimmed(Offsets offsets, SpacesAtEnds spaces, size_t index) const {
  int32_t leading = spaces.leading;
  const int32_t trailing = spaces.trailing;
  if (leading == 1 && add_prefix_space && (index == 0 || offsets.begin == 0)) leading = 0;
  offsets.begin = std::min(offsets.begin + leading, offsets.end);
  if (offsets.end >= trailing) offsets.end = std::max(offsets.end - trailing, offsets.begin);
  return offsets;
}

}  // namespace portatune::text
