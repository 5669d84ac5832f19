#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// rotary(x, cos, sin): pairs of elements of each head rotated by angles.
//   shape     that of x
//   gradient  dy rotated back; none to the tables
//   lowering  the kernel portatune.rotary
struct Rotary final : Composite {
  const int64_t heads;
  explicit Rotary(int64_t heads) : heads(heads) {}

  std::string_view name() const override { return "rotary"; }

  Types infer(std::span<const Value> inputs) const override {
    const Value &x = inputs[0], &cos = inputs[1];
    require(x.rank() == 3 && is_float(x.dtype()) && heads > 0 && x.shape()[2] % (2 * heads) == 0, name(), inputs,
            "x [batch, seq, heads * head_size] of a float type and an even head size",
            " with " + std::to_string(heads) + " heads");
    const Shape shared{x.shape()[1], x.shape()[2] / heads / 2};
    const Shape per_example{x.shape()[0], shared[0], shared[1]};
    require(cos.dtype() == DType::kFloat32 && cos.type() == inputs[2].type() &&
                (cos.shape() == shared || cos.shape() == per_example),
            name(), inputs, "float32 tables [seq, head_size / 2] or [batch, seq, head_size / 2]",
            " with " + std::to_string(heads) + " heads");
    return {x.type()};
  }

  Values decompose(std::span<const Value> inputs) const override {
    const Value& x = inputs[0];
    const int64_t half = x.shape()[2] / heads / 2;
    const Value pairs = convert(reshape(x, {x.shape()[0], x.shape()[1], heads, 2 * half}), DType::kFloat32);
    const Value first = slice(pairs, -1, {0, half}), second = slice(pairs, -1, {half, 2 * half});
    const Value cos = expand_dims(inputs[1], -2), sin = expand_dims(inputs[2], -2);  // [.., seq, 1, half]
    const Value turned = concatenate({first * cos - second * sin, second * cos + first * sin}, -1);
    return {reshape(convert(turned, x.dtype()), x.shape())};
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    return {rotary(dresults[0], node.input(1), -node.input(2), heads), Value(), Value()};
  }

  KernelCall kernel(const Node&) const override {
    return {.target = "portatune.rotary", .attributes = {{"heads", i64_attribute(heads)}}};
  }
};

}  // namespace

Value rotary(const Value& x, const Value& cos, const Value& sin, int64_t heads) {
  return make_node<Rotary>({x, cos, sin}, heads);
}

}  // namespace portatune
