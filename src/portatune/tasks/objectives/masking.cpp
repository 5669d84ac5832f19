#include "portatune/tasks/objectives/masking.h"

#include <cmath>

#include "portatune/error.h"
#include "portatune/ops.h"
#include "portatune/tasks/objectives/objectives.h"

namespace portatune::tasks {
namespace {

Value u32(const TensorType& like, uint32_t value) { return full({DType::kUInt32, like.shape}, value); }

// True with the given probability.
Value happens(const Value& bits, double probability) {
  return compare(Direction::kLess, bits, u32(bits.type(), static_cast<uint32_t>(std::nearbyint(probability * 0x1p32))));
}

}  // namespace

int32_t mask_id_of(const text::Tokenizer& tokenizer, const std::filesystem::path& model) {
  if (const auto id = tokenizer.mask_id()) return *id;
  throw CheckpointError({.where = model.string(),
                         .given = "a tokenizer without a mask token",
                         .expected = "a \"mask_token\" in tokenizer_config.json, as masked language models have"});
}

Masked mask_tokens(const Value& input_ids, const Value& words, const Value& seeds, const Value& key,
                   const Masking& masking) {
  const TensorType& type = input_ids.type();
  const Value row = broadcast_to(reshape(convert(seeds, DType::kUInt32), {-1, 1}), type.shape);
  // Multiples of different odd numbers keep the draws for an example's words, positions and kinds apart.
  const auto draw = [&](const Value& index, uint32_t kind) {
    return random_bits(row * u32(type, 0x9E3779B1) + convert(index, DType::kUInt32) * u32(type, 8) + u32(type, kind),
                       key);
  };
  const Value position = iota(type, 1), zero = full(type, 0);
  const Value can = compare(Direction::kGreaterEqual, words, zero);
  const Value chosen = select(can, happens(draw(words, 0), masking.probability), full({DType::kBool, type.shape}, 0));
  const Value hidden = happens(draw(position, 1), 0.8);
  const Value replaced = happens(draw(position, 2), 0.5);  // among tokens that are not masked
  // Uses the high bits only, because a product with a fraction of 2^32 would need 64 bits.
  const Value fraction = convert(shift_right_logical(draw(position, 3), u32(type, 8)), DType::kFloat32) * 0x1p-24;
  const Value random_id = convert(fraction * static_cast<double>(masking.vocab_size), DType::kInt32);
  const Value changed = select(hidden, full(type, masking.mask_id), select(replaced, random_id, input_ids));
  return {select(chosen, changed, input_ids), select(chosen, input_ids, full(type, kNoLabel))};
}

}  // namespace portatune::tasks
