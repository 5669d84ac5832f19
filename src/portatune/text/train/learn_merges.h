// Byte-pair encoding: the vocabulary and the merges that counts of words give.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "portatune/text/train/word_counts.h"

namespace portatune::text {

struct MergeOptions {
  size_t vocab_size;
  int64_t min_frequency;                    ///< a pair that occurs less often is not merged
  std::vector<std::string> special_tokens;  ///< the first tokens
  std::vector<char32_t> initial_alphabet;   ///< characters that are tokens even if no word has them
  size_t limit_alphabet;                    ///< characters to keep, the most frequent ones; 0: all
  std::string continuing_subword_prefix;    ///< beginning of tokens that do not begin a word; empty: none
};

struct LearnedMerges {
  std::vector<std::string> tokens;                 ///< by id: special tokens, characters, merges
  std::vector<std::pair<int32_t, int32_t>> pairs;  ///< ids of the merged tokens, in the order of the merges
};

/// Merges the most frequent pair of tokens until the vocabulary is full. Of pairs with the same count, the one with
/// the smaller ids comes first.
/// words   in the order that decides about nothing but speed
/// errors  UsageError if special tokens and characters alone exceed vocab_size
LearnedMerges learn_merges(std::span<const WordCount> words, const MergeOptions& options);

}  // namespace portatune::text
