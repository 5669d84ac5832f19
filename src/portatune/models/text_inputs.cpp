#include "portatune/models/text_inputs.h"

#include <limits>

#include "portatune/ops.h"

namespace portatune::models {

Value mask_of(const TextInputs& in) {
  if (in.packed) return in.attention_mask;
  if (!in.attention_mask) return full({DType::kFloat32, {1, 1, 1, in.input_ids.shape()[1]}}, 0);
  return nn::attention_bias(in.attention_mask);
}

Value bias_of_mask(const TextInputs& in) {
  return in.packed ? segment_bias(in.attention_mask, in.attention_mask) : mask_of(in);
}

Value segment_bias(const Value& queries, const Value& keys) {
  const Shape &q = queries.shape(), &k = keys.shape();
  const Shape both{q[0], 1, q[1], k[1]};
  const Value of_query = broadcast_to(reshape(queries, {q[0], 1, q[1], 1}), both);
  const Value of_key = broadcast_to(reshape(keys, {k[0], 1, 1, k[1]}), both);
  const Value is_text = compare(Direction::kNotEqual, of_key, full({DType::kInt32, {}}, 0));
  const Value seen = bitwise_and(compare(Direction::kEqual, of_query, of_key), is_text);
  const TensorType type{DType::kFloat32, both};
  return select(seen, full(type, 0), full(type, std::numeric_limits<float>::lowest()));
}

Value positions_of(const TextInputs& in) {
  return in.position_ids ? in.position_ids : iota({DType::kInt32, {in.input_ids.shape()[1]}}, 0);
}

}  // namespace portatune::models
