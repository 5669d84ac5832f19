#include "portatune/models/text_inputs.h"

#include "portatune/ops.h"

namespace portatune::models {

Value mask_of(const TextInputs& in) {
  if (in.packed) return in.attention_mask;
  if (!in.attention_mask) return full({DType::kFloat32, {1, 1, 1, in.input_ids.shape()[1]}}, 0);
  return nn::attention_bias(in.attention_mask);
}

Value positions_of(const TextInputs& in) {
  return in.position_ids ? in.position_ids : iota({DType::kInt32, {in.input_ids.shape()[1]}}, 0);
}

}  // namespace portatune::models
