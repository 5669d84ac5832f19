// ROUGE: the agreement of a text with a reference in words and sequences of words.
#pragma once

#include <string_view>

namespace portatune::tasks {

/// F-measures in [0, 1].
struct RougeScores {
  double rouge1 = 0, rouge2 = 0;  ///< of the words, and of the pairs of consecutive words
  double rouge_l = 0;             ///< of the longest common subsequence
  double rouge_lsum = 0;          ///< of the common subsequences of the lines, each of which is a sentence
};

/// Words are runs of a to z and digits, in lower case; other letters separate words.
/// stems   whether words of more than three letters are replaced by their stems: porter_stem()
/// source  Lin 2004, "ROUGE: a package for automatic evaluation of summaries", with the words and the union of
///         subsequences of rouge_score.RougeScorer(use_stemmer=stems)
RougeScores rouge(std::string_view reference, std::string_view text, bool stems);

}  // namespace portatune::tasks
