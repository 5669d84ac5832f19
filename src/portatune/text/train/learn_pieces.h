// The unigram language model: a vocabulary of pieces with log probabilities, learned from counts of words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "portatune/base/threads/thread_pool.h"
#include "portatune/text/train/word_counts.h"

namespace portatune::text {

struct ScoredPiece {
  std::string text;
  double score;  ///< log probability
};

/// Pieces by descending score: all characters of the words, and the most useful of their repeated substrings. EM finds
/// the scores; in between, pieces are pruned without which the likelihood of the words falls least.
/// vocab_size      number of pieces and special tokens; fewer if the words repeat fewer substrings
/// special_tokens  number of these
/// errors          UsageError if the words have more characters than vocab_size leaves room for
/// source  Kudo 2018, arXiv:1804.10959, section 3.2
std::vector<ScoredPiece> learn_pieces(std::span<const WordCount> words, size_t vocab_size, size_t special_tokens,
                                      ThreadPool& pool);

}  // namespace portatune::text
