// Heads that decoders share.
#pragma once

#include "portatune/models/heads.h"
#include "portatune/models/lm_head.h"

namespace portatune::models {

/// x [batch, seq, hidden] at each row's last token that is not padding, [batch, hidden]; the first token if all are.
/// pad_token_id  id of padding at any position, as in transformers; -1: padding is what the attention mask hides
Value last_token(const Value& x, const TextInputs& in, int64_t pad_token_id);

/// "score" of the last token.
Head score_of_last_token(int64_t pad_token_id);

/// "score" of each token behind dropout, with a bias.
Head score_of_tokens(double dropout);

/// "lm_head" of each token, without a bias.
/// name   its other name in a checkpoint
Head next_token(const LmDecoder& decoder, const std::string& name = "lm_head");

}  // namespace portatune::models
