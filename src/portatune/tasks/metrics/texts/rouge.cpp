#include "portatune/tasks/metrics/texts/rouge.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "portatune/tasks/metrics/texts/porter_stemmer.h"
#include "portatune/tasks/metrics/texts/words.h"
#include "portatune/tasks/rows/letter_case.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::tasks {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kLongestUnstemmed = 3;  // letters

// The text in lower case, with a space in place of everything but a to z and digits.
std::string plain(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) append_lower_case(text::next_code_point(text, at), result);
  for (char& c : result) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) c = ' ';
  }
  return result;
}

Words rouge_words(std::string_view text, bool stems) {
  Words words = words_of(plain(text));
  if (!stems) return words;
  for (std::string& word : words) {
    if (word.size() > kLongestUnstemmed) word = porter_stem(word);
  }
  return words;
}

double f_measure(int64_t hits, size_t reference, size_t text) {
  if (hits == 0) return 0;
  const double precision = static_cast<double>(hits) / static_cast<double>(text);
  const double recall = static_cast<double>(hits) / static_cast<double>(reference);
  return 2 * precision * recall / (precision + recall);
}

double ngram_score(const Words& reference, const Words& text, size_t n) {
  const Words a = ngrams(reference, n), b = ngrams(text, n);
  return f_measure(shared(a, b), a.size(), b.size());
}

// The lengths of the longest common subsequences of all beginnings of two texts.
class Subsequences {
 public:
  Subsequences(const Words& a, const Words& b) : a_(a), b_(b), lengths_((a.size() + 1) * (b.size() + 1), 0) {
    for (size_t i = 1; i <= a.size(); ++i) {
      for (size_t j = 1; j <= b.size(); ++j) {
        at(i, j) = a[i - 1] == b[j - 1] ? at(i - 1, j - 1) + 1 : std::max(at(i - 1, j), at(i, j - 1));
      }
    }
  }

  int64_t longest() { return at(a_.size(), b_.size()); }

  // Adds the indices in `a` of the words of one longest subsequence.
  void add_indices(std::set<size_t>& indices) {
    for (size_t i = a_.size(), j = b_.size(); i > 0 && j > 0;) {
      if (a_[i - 1] == b_[j - 1]) {
        indices.insert(--i);
        --j;
      } else if (at(i, j - 1) > at(i - 1, j)) {
        --j;
      } else {
        --i;
      }
    }
  }

 private:
  int32_t& at(size_t i, size_t j) { return lengths_[i * (b_.size() + 1) + j]; }

  const Words &a_, &b_;
  std::vector<int32_t> lengths_;
};

std::vector<Words> sentences_of(std::string_view text, bool stems) {
  std::vector<Words> sentences;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    sentences.push_back(rouge_words(text.substr(begin, end - begin), stems));
    begin = end + 1;
  }
  return sentences;
}

size_t count_words(const std::vector<Words>& sentences) {
  size_t count = 0;
  for (const Words& words : sentences) count += words.size();
  return count;
}

// Number of times that each word may still count as common.
std::map<std::string, int64_t> budget_of(const std::vector<Words>& sentences) {
  std::map<std::string, int64_t> budget;
  for (const Words& words : sentences) {
    for (const std::string& word : words) ++budget[word];
  }
  return budget;
}

double summary_score(const std::vector<Words>& reference, const std::vector<Words>& text) {
  std::map<std::string, int64_t> in_reference = budget_of(reference), in_text = budget_of(text);
  int64_t hits = 0;
  for (const Words& sentence : reference) {
    std::set<size_t> common;  // words of the sentence that are in a subsequence with some sentence of the text
    for (const Words& other : text) Subsequences(sentence, other).add_indices(common);
    for (const size_t i : common) {
      int64_t &left = in_text[sentence[i]], &left_in_reference = in_reference[sentence[i]];
      if (left == 0 || left_in_reference == 0) continue;
      --left;
      --left_in_reference;
      ++hits;
    }
  }
  return f_measure(hits, count_words(reference), count_words(text));
}

}  // namespace

RougeScores rouge(std::string_view reference, std::string_view text, bool stems) {
  const Words a = rouge_words(reference, stems), b = rouge_words(text, stems);
  return {.rouge1 = ngram_score(a, b, 1),
          .rouge2 = ngram_score(a, b, 2),
          .rouge_l = f_measure(Subsequences(a, b).longest(), a.size(), b.size()),
          .rouge_lsum = summary_score(sentences_of(reference, stems), sentences_of(text, stems))};
}

}  // namespace portatune::tasks
