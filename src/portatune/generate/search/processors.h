// Changes of logits before the choice of a token, named after transformers' classes. Rows are independent.
#pragma once

#include "portatune/generate/settings.h"
#include "portatune/ops.h"

namespace portatune::generate {

/// The logit of an excluded token: exp() of it is 0, and the difference of two of them is not NaN.
inline constexpr double kExcluded = -1e30;

/// RepetitionPenaltyLogitsProcessor: divides positive logits of seen tokens by the penalty, and multiplies negative
/// ones by it.
/// logits  float32 [rows, vocab]; seen  bool [rows, vocab]; penalty  float32 scalar
Value repetition_penalty(const Value& logits, const Value& seen, const Value& penalty);

/// The texts so far, each with padding before it and free positions behind it.
struct GrowingTokens {
  Value tokens;   ///< int32 [rows, length]
  Value padding;  ///< int32 [rows]: positions of padding
  Value end;      ///< int32 scalar: end position of all texts
};

/// The set of the ids of each row for which `is_in` is true: bool [rows, vocab].
/// ids, is_in  [rows, n]
Value token_set(const Value& ids, const Value& is_in, int64_t vocab_size);

/// NoRepeatNGramLogitsProcessor: excludes tokens that would repeat an n-gram of the text. Padding does not count.
/// size  int32 scalar, at least 1
Value exclude_repeated_ngrams(const Value& logits, const GrowingTokens& text, const Value& size);

/// NoBadWordsLogitsProcessor: excludes the last tokens of bad words whose other tokens end the text.
/// words  Settings::bad_words
Value exclude_bad_words(const Value& logits, const GrowingTokens& text, const Value& words);

/// MinLengthLogitsProcessor, ForcedBOSTokenLogitsProcessor, ForcedEOSTokenLogitsProcessor,
/// SuppressTokensLogitsProcessor and SuppressTokensAtBeginLogitsProcessor, in this order.
/// logits  float32 [rows, vocab], with the same number of rows for each prompt
Value restrict(const Value& logits, const Value& position, const Restrictions& restrictions);

/// WhisperTimeStampLogitsProcessor: a text begins with a time; times come in pairs, the end of a part and the beginning
/// of the next one, and never decrease. A time is chosen where all times together are more probable than any other
/// token.
/// first  int32 scalar: position of the first new token
Value keep_time_rules(const Value& logits, const GrowingTokens& text, const Value& first, const TimeTokens& times);

/// TopKLogitsWarper: excludes all but the k highest logits of a row. Logits equal to the lowest of these stay.
/// k  int32 scalar; 0: all stay
Value keep_top_k(const Value& logits, const Value& k);

/// TopPLogitsWarper: excludes the least probable tokens of a row whose probabilities sum to at most 1 - p. Tokens with
/// equal logits stay or go together.
/// p  float32 scalar; 1: all stay
Value keep_top_p(const Value& logits, const Value& p);

}  // namespace portatune::generate
