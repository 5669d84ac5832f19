#include "portatune/tasks/rows/code_points.h"

#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

size_t byte_of(std::string_view text, int64_t code_point) {
  size_t at = 0;
  while (code_point-- > 0 && at < text.size()) text::next_code_point(text, at);
  return at;
}

}  // namespace

std::string_view substring(std::string_view text, int64_t begin, int64_t end) {
  text.remove_prefix(byte_of(text, begin));
  return text.substr(0, byte_of(text, end - begin));
}

std::string_view without_leading_space(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    if ((text::UnicodeTables::get().properties(text::next_code_point(text, at)) & text::kSpace) == 0) {
      return text.substr(here);
    }
  }
  return {};
}

}  // namespace portatune::tasks
