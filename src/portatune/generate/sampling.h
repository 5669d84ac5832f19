// Which token comes next.
#pragma once

#include "portatune/ops.h"

namespace portatune::generate {

/// The most probable token of each row, the first of equals: int32 [rows]. logits float32 [rows, vocab].
Value most_probable(const Value& logits);

/// What a draw depends on, and nothing else.
struct Draw {
  Value key;      ///< uint32 [2], of the seed
  Value numbers;  ///< uint32 [rows]: that of each row's prompt
  Value token;    ///< int32 scalar: how many tokens of it were drawn before
};
/// A token of each row, drawn by softmax(logits): int32 [rows].
/// source  the Gumbel-max trick: Yellott 1977, doi:10.1016/0022-2496(77)90026-8
Value drawn(const Value& logits, const Draw& draw);

}  // namespace portatune::generate
