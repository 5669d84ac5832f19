#include "portatune/models/decoders/decoder_heads.h"

#include "portatune/ops.h"

namespace portatune::models {

Value last_token(const Value& x, const TextInputs& in, int64_t pad_token_id) {
  const Value text = pad_token_id < 0 ? in.attention_mask : in.input_ids;
  const double padding = pad_token_id < 0 ? 0 : static_cast<double>(pad_token_id);
  return last_where(x, compare(Direction::kNotEqual, text, full(text.type(), padding)));
}

Head score_of_last_token(int64_t pad_token_id) {
  return [pad_token_id](const nn::Scope& root, const HeadInputs& in) {
    return logits(root / "score", last_token(in.x, in.text, pad_token_id), in.num_labels, {.bias = false});
  };
}

Head score_of_tokens(double rate) {
  return [rate](const nn::Scope& root, const HeadInputs& in) {
    const nn::Scope s = root / "score";
    return logits(s, dropout(s, in.x, rate), in.num_labels);
  };
}

Head next_token(const LmDecoder& decoder, const std::string& name) {
  return [decoder, name](const nn::Scope& root, const HeadInputs& in) {
    return lm_logits(root, in.x, vocabulary_weight(root / name, in.x.shape().back(), decoder), decoder);
  };
}

}  // namespace portatune::models
