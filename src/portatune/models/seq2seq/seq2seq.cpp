// What all encoder-decoder models share.
#include "portatune/models.h"
#include "portatune/ops.h"

namespace portatune::models {
namespace {

Value where_equal(const Value& x, double number, double replacement) {
  return select(compare(Direction::kEqual, x, full(x.type(), number)), full(x.type(), replacement), x);
}

}  // namespace

Value Seq2Seq::decoder_input_ids(const Value& labels, const Value& position_ids) const {
  const int64_t length = labels.shape()[1];
  const Value tokens = where_equal(labels, -100, static_cast<double>(facts().pad_token_id));
  const Value previous = pad(slice(tokens, 1, {0, length - 1}), 1, 1, 0);
  const Value position = position_ids ? position_ids : iota(labels.type(), 1);
  const Value start = full(labels.type(), static_cast<double>(facts().decoder_start_token_id));
  return select(compare(Direction::kEqual, position, full(position.type(), 0)), start, previous);
}

Seq2SeqStates Seq2Seq::states_of_text(const nn::Scope& root, const TextInputs& in, HeadKind) const {
  TextInputs target = in;
  target.input_ids = decoder_input_ids(in.input_ids, in.packed ? in.position_ids : Value());
  if (!in.packed) target.attention_mask = {};
  Values encoder = encoder_states(root, in);
  const EncodedSource source{encoder.back(), in.attention_mask};
  return {.encoder = std::move(encoder), .decoder = decoder_states(root, target, source)};
}

Values Seq2Seq::hidden_states(const nn::Scope& root, const TextInputs& in) const {
  return states_of_text(root, in, HeadKind::kSequenceClassification).decoder;
}

}  // namespace portatune::models
