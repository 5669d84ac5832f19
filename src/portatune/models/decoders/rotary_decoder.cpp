#include "portatune/models/decoders/rotary_decoder.h"

#include "portatune/models/text_inputs.h"
#include "portatune/ops.h"

namespace portatune::models {

RopeTables rope_tables(const RopeParameters& p, int64_t head_size, int64_t max_position_embeddings,
                       const TextInputs& in, const DecoderPass& pass) {
  const Value positions = positions_of(in);
  const auto tables = [&](int64_t seq) {
    return rope_tables(rope_frequencies(p, head_size, max_position_embeddings, seq), positions);
  };
  if (!pass.cache) return tables(in.input_ids.shape()[1]);
  // Texts have at most the model's maximal length, below which only longrope depends on the length.
  if (p.rope_type != "longrope") return tables(1);
  // Beyond near_length other frequencies apply. The text's length is known only at run time.
  const int64_t near_length = p.original_max_position_embeddings;
  const RopeTables near = tables(near_length), far = tables(near_length + 1);
  const Value last = max(reshape(positions, {-1}), {0});
  const Value is_far = compare(Direction::kGreaterEqual, last, full(last.type(), static_cast<double>(near_length)));
  return {select(is_far, far.cos, near.cos), select(is_far, far.sin, near.sin)};
}

Value rotary_attention(const nn::Scope& s, const nn::HeadsOfDevice& heads, const LayerInputs& in) {
  return causal_attention(s, in.pass, in.layer, rotated(heads, in.rope), in.window);
}

Value within_heads(const Value& x, int64_t head_size, const std::function<Value(const Value&)>& f) {
  const Shape& shape = x.shape();
  return reshape(f(reshape(x, {shape[0], shape[1], -1, head_size})), shape);
}

}  // namespace portatune::models
