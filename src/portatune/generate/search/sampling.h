// The choice of the next token.
#pragma once

#include "portatune/ops.h"

namespace portatune::generate {

/// The most probable token of each row, the first of equals: int32 [rows]. logits: float32 [rows, vocab].
Value most_probable(const Value& logits);

/// All inputs of the random numbers of a draw.
struct Draw {
  Value key;      ///< uint32 [2], from the seed
  Value numbers;  ///< uint32 [rows]: index of each row's prompt
  Value token;    ///< int32 scalar: number of tokens sampled before
};
/// Samples a token of each row with the probabilities softmax(logits): int32 [rows].
/// source  the Gumbel-max trick: Yellott 1977, doi:10.1016/0022-2496(77)90026-8
Value sample(const Value& logits, const Draw& draw);

}  // namespace portatune::generate
