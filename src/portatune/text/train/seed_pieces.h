// The pieces with which the training of a unigram model begins.
#pragma once

#include <span>
#include <vector>

#include "portatune/text/train/learn_pieces.h"
#include "portatune/text/train/word_counts.h"

namespace portatune::text {

/// The characters by their number in the texts, then the substrings of 2 to 16 characters that several words or places
/// have, by length times number of places in the words. At most a million pieces; the scores are log probabilities.
/// Substrings that are always followed by the same character are left out.
std::vector<ScoredPiece> seed_pieces(std::span<const WordCount> words);

}  // namespace portatune::text
