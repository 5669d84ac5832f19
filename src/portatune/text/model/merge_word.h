// Byte-pair encoding's loop: merge the pair with the lowest rank until none merges.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/text/model/merges.h"

namespace portatune::text {

/// A symbol of a word: a token and how many of the word's bytes it stands for, at least one.
struct Symbol {
  int32_t id;
  uint32_t bytes;
};

/// Merges in place. Of pairs of the same rank the first goes first. Time: n log n in the number of symbols.
void merge_word(const Merges& merges, std::vector<Symbol>& symbols);

}  // namespace portatune::text
