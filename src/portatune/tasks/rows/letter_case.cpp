#include "portatune/tasks/rows/letter_case.h"

#include <unordered_map>

#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

constexpr char32_t kCapitalSigma = U'\u03A3', kFinalSigma = U'\u03C2';

bool is_letter(char32_t c) { return (text::UnicodeTables::get().properties(c) & text::kLetter) != 0; }

// A sigma is final behind a letter, unless a letter follows.
bool is_final_sigma(std::string_view text, size_t begin, size_t end) {
  if (begin == 0 || !is_letter(text::previous_code_point(text, begin))) return false;
  return end == text.size() || !is_letter(text::next_code_point(text, end));
}

using Capitals = std::unordered_map<char32_t, char32_t>;

// The first code point with each lower case, and letters that are not the lower case of their capital.
Capitals make_capitals() {
  Capitals capitals = {{U'\u03C2', U'\u03A3'}, {U'\u0131', U'I'}, {U'\u017F', U'S'}, {U'\u00B5', U'\u039C'}};
  const auto& tables = text::UnicodeTables::get();
  for (char32_t c = 0; c <= 0x1FFFF; ++c) {
    if ((tables.properties(c) & text::kUppercase) != 0) capitals.emplace(tables.lowercase(c), c);
  }
  return capitals;
}

}  // namespace

void append_lower_case(char32_t c, std::string& text) {
  const auto& tables = text::UnicodeTables::get();
  const bool changes = (tables.properties(c) & text::kUppercase) != 0;
  text::append_utf8(changes ? tables.lowercase(c) : c, text);
  if (c == U'\u0130') text::append_utf8(U'\u0307', text);  // the dot of a Turkish capital I
}

std::string lower_case(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = text::next_code_point(text, at);
    if (c == kCapitalSigma && is_final_sigma(text, begin, at)) {
      text::append_utf8(kFinalSigma, result);
    } else {
      append_lower_case(c, result);
    }
  }
  return result;
}

std::string upper_case(std::string_view text) {
  static const Capitals kCapitals = make_capitals();
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const char32_t c = text::next_code_point(text, at);
    if (c == U'\u00DF') {
      result += "SS";
      continue;
    }
    const auto capital = kCapitals.find(c);
    text::append_utf8(capital == kCapitals.end() ? c : capital->second, result);
  }
  return result;
}

}  // namespace portatune::tasks
