// The loop of byte-pair encoding: merges the pair with the lowest rank until no pair merges.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/text/model/merges.h"

namespace portatune::text {

/// A symbol of a word: a token, and the number of bytes of the word that it covers, at least one.
struct Symbol {
  int32_t id;
  uint32_t bytes;
};

/// Merges in place. The first of several pairs of the same rank merges first. Time: n log n in the number of symbols.
void merge_word(const Merges& merges, std::vector<Symbol>& symbols);

}  // namespace portatune::text
