// What is done to logits before a token is chosen, as transformers' classes of these names do it. Rows are independent.
#pragma once

#include "portatune/ops.h"

namespace portatune::generate {

/// What a token that may not be chosen has: exp() of it is 0, and differences of two of it are no NaN.
inline constexpr double kExcluded = -1e30;

/// RepetitionPenaltyLogitsProcessor: logits of tokens that were there, divided by the penalty if positive, multiplied
/// with it if negative.
/// logits  float32 [rows, vocab]; seen  bool, likewise; penalty  float32 scalar
Value repetition_penalty(const Value& logits, const Value& seen, const Value& penalty);

/// TopKLogitsWarper: all but the k highest of a row are excluded; those that equal the lowest of them stay.
/// k  int32 scalar; 0: all stay
Value keep_top_k(const Value& logits, const Value& k);

/// TopPLogitsWarper: the least probable tokens of a row are excluded that together have at most 1 - p. Tokens of equal
/// logits go together.
/// p  float32 scalar; 1: all stay
Value keep_top_p(const Value& logits, const Value& p);

}  // namespace portatune::generate
