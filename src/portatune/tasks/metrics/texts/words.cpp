#include "portatune/tasks/metrics/texts/words.h"

#include <algorithm>
#include <iterator>

#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {

// The property White_Space, and the four separators of ASCII.
bool is_white_space(char32_t c) {
  return (text::UnicodeTables::get().properties(c) & text::kSpace) != 0 || (c >= 0x1C && c <= 0x1F);
}

std::string_view stripped(std::string_view text) {
  size_t begin = 0, end = text.size();
  for (size_t at = 0; at < text.size() && is_white_space(text::next_code_point(text, at));) begin = at;
  while (end > begin) {
    const char32_t last = text::previous_code_point(text, end);
    if (!is_white_space(last)) break;
    do --end;
    while (text::is_continuation(text[end]));
  }
  return text.substr(begin, end - begin);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    if (!is_white_space(text::next_code_point(text, at))) {
      words.back() += text.substr(here, at - here);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<std::string> ngrams(const std::vector<std::string>& words, size_t n) {
  std::vector<std::string> result;
  for (size_t begin = 0; begin + n <= words.size(); ++begin) {
    std::string& ngram = result.emplace_back();
    for (size_t i = begin; i < begin + n; ++i) ngram += words[i] + " ";  // no word has a space
  }
  std::ranges::sort(result);
  return result;
}

int64_t shared(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string_view> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return std::ssize(both);
}

}  // namespace portatune::tasks
