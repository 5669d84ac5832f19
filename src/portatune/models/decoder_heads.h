// Heads that decoders share.
#pragma once

#include "portatune/models.h"
#include "portatune/models/lm_head.h"

namespace portatune::models {

/// x [batch, seq, hidden] at each row's last token that is not padding, [batch, hidden]; the first token if all are.
/// pad_token_id  id of padding at any position, as in transformers; -1: padding is what the attention mask hides
Value last_token(const Value& x, const TextInputs& in, int64_t pad_token_id);

/// "score" of the last token, float32 [batch, num_labels].
Value score_of_last_token(const nn::Scope& root, const TextInputs& in, const Value& x, int64_t pad_token_id,
                          int64_t num_labels);

/// "lm_head", without a bias: float32 [..., vocab_size].
Value next_token_logits(const nn::Scope& root, const Value& x, const LmDecoder& decoder);

}  // namespace portatune::models
