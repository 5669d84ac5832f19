// Changes of logits before the choice of a token, named after transformers' classes. Rows are independent.
#pragma once

#include "portatune/ops.h"

namespace portatune::generate {

/// The logit of an excluded token: exp() of it is 0, and the difference of two of them is not NaN.
inline constexpr double kExcluded = -1e30;

/// RepetitionPenaltyLogitsProcessor: divides positive logits of seen tokens by the penalty, and multiplies negative
/// ones by it.
/// logits  float32 [rows, vocab]; seen  bool [rows, vocab]; penalty  float32 scalar
Value repetition_penalty(const Value& logits, const Value& seen, const Value& penalty);

/// TopKLogitsWarper: excludes all but the k highest logits of a row. Logits equal to the lowest of these stay.
/// k  int32 scalar; 0: all stay
Value keep_top_k(const Value& logits, const Value& k);

/// TopPLogitsWarper: excludes the least probable tokens of a row whose probabilities sum to at most 1 - p. Tokens with
/// equal logits stay or go together.
/// p  float32 scalar; 1: all stay
Value keep_top_p(const Value& logits, const Value& p);

}  // namespace portatune::generate
