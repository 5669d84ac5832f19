#include "portatune/text/normalize/ends.h"

#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

bool is_space(char32_t c) { return (UnicodeTables::get().properties(c) & kSpace) != 0; }

}  // namespace

void Strip::normalize(Normalized& text) const {
  const std::string_view all = text.text();
  Span kept{0, all.size()};
  if (left_) {
    for (size_t next = 0; kept.begin < kept.end && is_space(next_code_point(all, next));) kept.begin = next;
  }
  if (right_) {
    while (kept.begin < kept.end && is_space(previous_code_point(all, kept.end))) {
      do --kept.end;
      while (is_continuation(all[kept.end]));
    }
  }
  if (kept == Span{0, all.size()}) return;
  Normalized result;
  result.clear_like(text);
  result.append(text, kept);
  text = std::move(result);
}

}  // namespace portatune::text
