#include "portatune/tasks/metrics/texts/word_error_rate.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "portatune/tasks/metrics/texts/words.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

// The smallest number of substitutions, deletions and insertions: Levenshtein's distance.
template <class Unit>
int64_t edits_between(const std::vector<Unit>& reference, const std::vector<Unit>& text) {
  std::vector<int64_t> edits(text.size() + 1);  // from the units of `reference` so far to each beginning of `text`
  std::iota(edits.begin(), edits.end(), 0);
  for (const Unit& unit : reference) {
    int64_t diagonal = edits[0]++;
    for (size_t i = 0; i < text.size(); ++i) {
      const int64_t replaced = diagonal + (unit == text[i] ? 0 : 1);
      diagonal = edits[i + 1];
      edits[i + 1] = std::min({replaced, edits[i] + 1, diagonal + 1});
    }
  }
  return edits.back();
}

// A single tab or newline between letters belongs to the word.
std::vector<std::string> words_of_jiwer(std::string_view given) {
  const std::string_view text = stripped(given);
  std::vector<std::string> words(1);
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    size_t spaces = 0, end = at;
    while (is_white_space(text::next_code_point(text, at))) {
      ++spaces;
      end = at;
    }
    if (spaces > 1 || text[begin] == ' ') {
      words.emplace_back();
      at = end;
    } else {
      words.back() += text.substr(begin, at - begin);
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<char32_t> code_points_of(std::string_view given) {
  const std::string_view text = stripped(given);
  std::vector<char32_t> characters;
  for (size_t at = 0; at < text.size();) characters.push_back(text::next_code_point(text, at));
  return characters;
}

}  // namespace

void ErrorRate::add(int64_t edits, int64_t units) {
  edits_ += edits;
  units_ += units;
}

double ErrorRate::result() const {
  return static_cast<double>(edits_) / static_cast<double>(std::max<int64_t>(units_, 1));
}

void WordErrorRate::add(std::string_view reference, std::string_view text) {
  const std::vector<std::string> expected = words_of_jiwer(reference);
  ErrorRate::add(edits_between(expected, words_of_jiwer(text)), std::ssize(expected));
}

void CharacterErrorRate::add(std::string_view reference, std::string_view text) {
  const std::vector<char32_t> expected = code_points_of(reference);
  ErrorRate::add(edits_between(expected, code_points_of(text)), std::ssize(expected));
}

}  // namespace portatune::tasks
