#include "portatune/generate/search/sampling.h"

namespace portatune::generate {
namespace {

// A random word for each row, [rows, 1].
Value word_of_row(const Draw& draw) {
  const Value token = convert(draw.token, DType::kUInt32);
  const Value word = random_bits(bitwise_xor(random_bits(draw.numbers, draw.key), token), draw.key);
  return reshape(word, {word.shape()[0], 1});
}

// Uniform numbers in (0, 1), [rows, vocab]. The row's word enters between two rounds of the hash, so the bits of two
// rows are not shifted copies of each other.
Value uniform(const Shape& shape, const Draw& draw) {
  const Value token = random_bits(iota({DType::kUInt32, {1, shape[1]}}, 1), draw.key);
  const Value bits = random_bits(bitwise_xor(token, word_of_row(draw)), draw.key);
  const Value upper = convert(shift_right_logical(bits, full({DType::kUInt32, {}}, 9)), DType::kFloat32);
  return (upper + 0.5) * 0x1p-23;  // both exact in float32
}

}  // namespace

Value most_probable(const Value& logits) { return argmax(logits, 1); }

Value sample(const Value& logits, const Draw& draw) {
  const Value gumbel = -log(-log(uniform(logits.shape(), draw)));
  return argmax(logits + gumbel, 1);
}

}  // namespace portatune::generate
