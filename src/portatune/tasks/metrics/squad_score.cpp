#include "portatune/tasks/metrics/squad_score.h"

#include <algorithm>
#include <vector>

#include "portatune/tasks/metrics/texts/words.h"
#include "portatune/tasks/rows/letter_case.h"
#include "portatune/text/unicode/unicode.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

// Characters of Python's string.punctuation.
bool is_ascii_punctuation(char32_t c) {
  return (c > 0x20 && c < 0x30) || (c > 0x39 && c < 0x41) || (c > 0x5A && c < 0x61) || (c > 0x7A && c < 0x7F);
}

bool is(char32_t c, uint32_t properties) { return (text::UnicodeTables::get().properties(c) & properties) != 0; }

// Characters of Python's \w.
bool is_word(char32_t c) { return c == '_' || is(c, text::kLetter | text::kNumber); }

std::string without_punctuation(std::string_view given) {
  std::string result;
  for (size_t at = 0; at < given.size();) {
    const char32_t c = text::next_code_point(given, at);
    if (!is_ascii_punctuation(c)) append_lower_case(c, result);
  }
  return result;
}

// Replaces articles by white space. Words are runs of word characters; the text between them stays.
std::string without_articles(std::string_view given) {
  std::string result;
  size_t begin = 0;  // of the current word
  const auto end_word = [&](size_t end) {
    const std::string_view word = given.substr(begin, end - begin);
    result += word == "a" || word == "an" || word == "the" ? " " : word;
  };
  for (size_t at = 0; at < given.size();) {
    const size_t here = at;
    if (is_word(text::next_code_point(given, at))) continue;
    end_word(here);
    result += given.substr(here, at - here);
    begin = at;
  }
  end_word(given.size());
  return result;
}

AnswerScore agreement(std::string_view given, std::string_view expected) {
  const std::vector<std::string> a = words_of(normalized_answer(given)), b = words_of(normalized_answer(expected));
  AnswerScore score{.exact = a == b ? 1.0 : 0.0};
  if (a.empty() || b.empty()) return {score.exact, score.exact};
  score.f1 = 2.0 * static_cast<double>(shared(ngrams(a, 1), ngrams(b, 1))) / static_cast<double>(a.size() + b.size());
  return score;
}

}  // namespace

std::string normalized_answer(std::string_view text) {
  std::string result;
  for (const std::string& word : words_of(without_articles(without_punctuation(text)))) {
    result += (result.empty() ? "" : " ") + word;
  }
  return result;
}

AnswerScore score_answer(std::string_view given, std::span<const std::string> expected) {
  AnswerScore best;
  bool answerable = false;
  for (const std::string& answer : expected) {
    if (normalized_answer(answer).empty()) continue;
    answerable = true;
    const AnswerScore score = agreement(given, answer);
    best = {std::max(best.exact, score.exact), std::max(best.f1, score.f1)};
  }
  return answerable ? best : agreement(given, "");
}

}  // namespace portatune::tasks
