#include "portatune/tasks/objectives/masking.h"

#include <cmath>

#include "portatune/ops.h"
#include "portatune/tasks/objectives/objectives.h"

namespace portatune::tasks {
namespace {

Value u32(const TensorType& like, uint32_t value) { return full({DType::kUInt32, like.shape}, value); }

// True with this probability.
Value happens(const Value& bits, double probability) {
  return compare(Direction::kLess, bits, u32(bits.type(), static_cast<uint32_t>(std::nearbyint(probability * 0x1p32))));
}

}  // namespace

Masked mask_tokens(const Value& input_ids, const Value& words, const Value& seeds, const Value& key,
                   const Masking& masking) {
  const TensorType& type = input_ids.type();
  const Value row = broadcast_to(reshape(convert(seeds, DType::kUInt32), {-1, 1}), type.shape);
  // Different multiples of odd numbers, so that an example's words, places and kinds of draws do not meet.
  const auto draw = [&](const Value& index, uint32_t kind) {
    return random_bits(row * u32(type, 0x9E3779B1) + convert(index, DType::kUInt32) * u32(type, 8) + u32(type, kind),
                       key);
  };
  const Value place = iota(type, 1), nobody = full(type, 0);
  const Value can = compare(Direction::kGreaterEqual, words, nobody);
  const Value chosen = select(can, happens(draw(words, 0), masking.probability), full({DType::kBool, type.shape}, 0));
  const Value hidden = happens(draw(place, 1), 0.8);
  const Value replaced = happens(draw(place, 2), 0.5);  // of those that are not hidden
  // The high bits: a product with a fraction of 2^32 would need 64 bits.
  const Value fraction = convert(shift_right_logical(draw(place, 3), u32(type, 8)), DType::kFloat32) * 0x1p-24;
  const Value random_id = convert(fraction * static_cast<double>(masking.vocab_size), DType::kInt32);
  const Value changed = select(hidden, full(type, masking.mask_id), select(replaced, random_id, input_ids));
  return {select(chosen, changed, input_ids), select(chosen, input_ids, full(type, kNoLabel))};
}

}  // namespace portatune::tasks
