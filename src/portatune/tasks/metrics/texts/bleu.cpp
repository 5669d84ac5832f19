#include "portatune/tasks/metrics/texts/bleu.h"

#include <cmath>
#include <vector>

#include "portatune/tasks/metrics/texts/words.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// Punctuation and symbols of ASCII but the apostrophe, the comma, the hyphen and the point.
bool is_symbol(char c) {
  const bool is_graphic = c > ' ' && c < 0x7F && !is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
  return is_graphic && c != '\'' && c != '-' && !is_point(c);
}

std::string with_spaces_around_symbols(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (is_symbol(c)) {
      result += {' ', c, ' '};
    } else {
      result += c;
    }
  }
  return result;
}

// Rewrites the pairs of neighbours for which `matches` is true, from left to right. A pair shares no character with
// the one before it.
template <class Matches, class Rewrite>
std::string rewrite_pairs(std::string_view text, Matches matches, Rewrite rewrite) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
      result += rewrite(text[i], text[i + 1]);
      i += 2;
    } else {
      result += text[i++];
    }
  }
  return result;
}

std::string spaces_in_second(char a, char b) { return {a, ' ', b, ' '}; }
std::string spaces_in_first(char a, char b) { return {' ', a, ' ', b}; }

// The characters of a text without white space.
std::vector<std::string> characters_of(std::string_view text) {
  std::vector<std::string> characters;
  for (const std::string& word : words_of(text)) {
    for (size_t at = 0; at < word.size();) {
      const size_t begin = at;
      text::next_code_point(word, at);
      characters.push_back(word.substr(begin, at - begin));
    }
  }
  return characters;
}

double ratio(int64_t part, int64_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

}  // namespace

std::string tokens_13a(std::string_view given) {
  std::string text(given);
  for (const auto& [from, to] : {std::pair{"<skipped>", ""},
                                 {"-\n", ""},
                                 {"\n", " "},
                                 {"&quot;", "\""},
                                 {"&amp;", "&"},
                                 {"&lt;", "<"},
                                 {"&gt;", ">"}}) {
    replace_all(text, from, to);
  }
  text = with_spaces_around_symbols(" " + text + " ");
  text = rewrite_pairs(
      text, [](char a, char b) { return !is_digit(a) && is_point(b); }, spaces_in_second);
  text = rewrite_pairs(
      text, [](char a, char b) { return is_point(a) && !is_digit(b); }, spaces_in_first);
  return rewrite_pairs(
      text, [](char a, char b) { return is_digit(a) && b == '-'; }, spaces_in_second);
}

void Bleu::add(std::string_view reference, std::string_view text) {
  const std::vector<std::string> expected = words_of(tokens_13a(stripped(reference)));
  const std::vector<std::string> found = words_of(tokens_13a(stripped(text)));
  reference_words_ += std::ssize(expected);
  words_ += std::ssize(found);
  for (size_t i = 0; i < kOrders; ++i) {
    const std::vector<std::string> a = ngrams(expected, i + 1), b = ngrams(found, i + 1);
    hits_[i] += shared(a, b);
    ngrams_[i] += std::ssize(b);
  }
}

double Bleu::result() const {
  if (hits_[0] == 0 || ngrams_[kOrders - 1] == 0) return 0;
  double logarithms = 0, smoothing = 1;
  for (size_t i = 0; i < kOrders; ++i) {
    if (hits_[i] == 0) smoothing *= 2;
    logarithms +=
        std::log(hits_[i] == 0 ? 1 / (smoothing * static_cast<double>(ngrams_[i])) : ratio(hits_[i], ngrams_[i]));
  }
  const double brevity = words_ < reference_words_ ? 1 - ratio(reference_words_, words_) : 0;
  return 100 * std::exp(brevity + logarithms / kOrders);
}

void Chrf::add(std::string_view reference, std::string_view text) {
  const std::vector<std::string> expected = characters_of(reference), found = characters_of(text);
  for (size_t i = 0; i < kOrders; ++i) {
    const std::vector<std::string> a = ngrams(expected, i + 1), b = ngrams(found, i + 1);
    hits_[i] += shared(a, b);
    in_reference_[i] += std::ssize(a);
    in_text_[i] += a.empty() ? 0 : std::ssize(b);  // nothing to agree with
  }
}

double Chrf::result() const {
  double precision = 0, recall = 0, orders = 0;
  for (size_t i = 0; i < kOrders; ++i) {
    if (in_reference_[i] == 0 || in_text_[i] == 0) continue;
    precision += ratio(hits_[i], in_text_[i]);
    recall += ratio(hits_[i], in_reference_[i]);
    ++orders;
  }
  if (precision + recall == 0) return 0;
  constexpr double kSquaredBeta = 4;
  return 100 * (1 + kSquaredBeta) * precision * recall / (kSquaredBeta * precision + recall) / orders;
}

}  // namespace portatune::tasks
