// BLEU and chrF: the agreement of translations with references in n-grams of words and of characters.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace portatune::tasks {

/// A text with spaces around punctuation: the tokens of the evaluation script mteval-v13a.
/// source  sacreBLEU's tokenizer "13a"
std::string tokens_13a(std::string_view text);

/// BLEU of a corpus with one reference for each text.
/// source  Papineni et al. 2002; Post 2018: sacrebleu.BLEU() with its defaults, tokenizer 13a and exponential smoothing
class Bleu {
 public:
  void add(std::string_view reference, std::string_view text);
  /// In [0, 100]; 0 without a common word.
  double result() const;

 private:
  static constexpr size_t kOrders = 4;
  int64_t reference_words_ = 0, words_ = 0;
  std::array<int64_t, kOrders> hits_ = {}, ngrams_ = {};
};

/// chrF of a corpus: n-grams of one to six characters without white space, recall counting twice as much as precision.
/// source  Popović 2015; sacrebleu.CHRF() with its defaults
class Chrf {
 public:
  void add(std::string_view reference, std::string_view text);
  /// In [0, 100].
  double result() const;

 private:
  static constexpr size_t kOrders = 6;
  std::array<int64_t, kOrders> hits_ = {}, in_reference_ = {}, in_text_ = {};
};

}  // namespace portatune::tasks
