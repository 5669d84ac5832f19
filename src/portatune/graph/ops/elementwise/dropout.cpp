#include "portatune/graph/ops/elementwise/dropout.h"

#include <algorithm>
#include <cmath>

#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

constexpr uint32_t kSpread = 0x9E3779B9;

Value u32(uint32_t value) { return full({DType::kUInt32, {}}, value); }

Value xor_shift(const Value& h, uint32_t distance) { return bitwise_xor(h, shift_right_logical(h, u32(distance))); }

// The row-major index of every element of x in an array of the shape `whole`, as uint32 with wrap-around.
Value flat_index(const Shape& shape, const Shape& whole) {
  Value index = full({DType::kUInt32, shape}, 0);
  int64_t stride = 1;
  for (int64_t axis = shape.rank() - 1; axis >= 0; --axis) {
    index = index + iota({DType::kUInt32, shape}, axis) * u32(static_cast<uint32_t>(stride));
    stride *= whole[axis];
  }
  return index;
}

// A counter-based generator: the index is spread by the golden ratio and mixed by two multiplications with shifts
// between them (the constants are C. Wellons's "lowbias32"). One half of the key is added before each.
Value mix(const Value& index, const Value& key) {
  const auto half = [&](int64_t i) { return reshape(slice(key, 0, {i, i + 1}), {}); };
  Value h = index * u32(kSpread) + half(0);
  h = xor_shift(h, 16) * u32(0x21F0AAAD);
  h = (xor_shift(h, 15) + half(1)) * u32(0xD35A2D97);
  return xor_shift(h, 15);
}

// dropout(x, key, rule): zeros at random, the rest scaled up.
//   shape     that of x
//   gradient  dropout of dy with the same key and rule, which recomputes the mask
//   lowering  the kernel portatune.dropout
struct Dropout final : Composite {
  std::string_view name() const override { return "dropout"; }
  Types infer(std::span<const Value> inputs) const override {
    require(is_float(inputs[0].dtype()) && inputs[1].type() == TensorType{DType::kUInt32, {2}} &&
                inputs[2].type() == kDropoutRule,
            name(), inputs, "x of a float type, a key uint32[2] and a rule float32[2]");
    return {inputs[0].type()};
  }
  Values decompose(std::span<const Value> inputs) const override { return {drop(inputs[0], inputs[1], inputs[2])}; }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    return {dropout(dresults[0], node.input(1), node.input(2)), Value(), Value()};
  }
  KernelCall kernel(const Node&) const override { return {.target = "portatune.dropout"}; }
};

}  // namespace

Value drop(const Value& x, const Value& key, const Value& rule) { return drop(x, x.shape(), key, rule); }

Value drop(const Value& x, const Shape& whole, const Value& key, const Value& rule) {
  const auto number = [&](int64_t i) { return reshape(slice(rule, 0, {i, i + 1}), {}); };
  const Value threshold = convert(number(0), DType::kUInt32), factor = number(1);
  const Value keep = compare(Direction::kGreaterEqual, mix(flat_index(x.shape(), whole), key), threshold);
  const Value scaled = convert(x, DType::kFloat32) * factor;
  return convert(select(keep, scaled, full(scaled.type(), 0)), x.dtype());
}

Tensor dropout_rule(double rate) {
  // The product is an integer that float32 has exactly, at most the largest one below 2^32.
  const auto rounded = static_cast<float>(rate);
  const float threshold = std::min(std::nearbyint(rounded * 0x1p32f), 0x1p32f - 0x1p8f);
  return Tensor({2}, {threshold, 1.0f / (1.0f - rounded)});
}

void require_rate(std::string_view op, std::span<const Value> inputs, double rate) {
  require(0 <= rate && rate < 1, op, inputs, "a rate in [0, 1)", " and rate " + std::to_string(rate));
}

Value random_bits(const Value& index, const Value& key) {
  require(index.dtype() == DType::kUInt32 && key.type() == TensorType{DType::kUInt32, {2}}, "random_bits", {&index, 1},
          "indices uint32 and a key uint32[2]");
  return mix(index, key);
}

Value key_from(const Value& key, const Value& first) {
  const Value shift = concatenate({reshape(first * u32(kSpread), {1}), full({DType::kUInt32, {1}}, 0)}, 0);
  return key + shift;  // mix() adds the first half of the key to the spread index
}

Value dropout(const Value& x, const Value& key, double rate) {
  require_rate("dropout", {&x, 1}, rate);
  return rate == 0 ? x : dropout(x, key, constant(dropout_rule(rate)));
}

Value dropout(const Value& x, const Value& key, const Value& rule) { return make_node<Dropout>({x, key, rule}); }

}  // namespace portatune
