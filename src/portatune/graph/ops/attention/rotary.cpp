#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// rotary(x, cos, sin): pairs of elements of each head rotated by angles; the elements behind them stay as they are.
//   shape     that of x
//   gradient  dy rotated back; none to the tables
//   lowering  the kernel portatune.rotary
struct Rotary final : Composite {
  const int64_t heads;
  explicit Rotary(int64_t heads) : heads(heads) {}

  std::string_view name() const override { return "rotary"; }

  Types infer(std::span<const Value> inputs) const override {
    const Value &x = inputs[0], &cos = inputs[1];
    require(x.rank() == 3 && is_float(x.dtype()) && heads > 0 && x.shape()[2] % heads == 0, name(), inputs,
            "x [batch, seq, heads * head_size] of a float type", " with " + std::to_string(heads) + " heads");
    require(cos.rank() == 2 || cos.rank() == 3, name(), inputs, "tables [seq, pairs] or [batch, seq, pairs]");
    const Shape shared{x.shape()[1], cos.shape().back()};
    const Shape per_example{x.shape()[0], shared[0], shared[1]};
    require(cos.dtype() == DType::kFloat32 && cos.type() == inputs[2].type() && 2 * shared[1] <= x.shape()[2] / heads &&
                (cos.shape() == shared || cos.shape() == per_example),
            name(), inputs,
            "float32 tables [seq, pairs] or [batch, seq, pairs] with at most half as many pairs as elements in a head",
            " with " + std::to_string(heads) + " heads");
    return {x.type()};
  }

  Values decompose(std::span<const Value> inputs) const override {
    const Value& x = inputs[0];
    const int64_t size = x.shape()[2] / heads, pairs = inputs[1].shape().back();
    const Value by_head = convert(reshape(x, {x.shape()[0], x.shape()[1], heads, size}), DType::kFloat32);
    const Value first = slice(by_head, -1, {0, pairs}), second = slice(by_head, -1, {pairs, 2 * pairs});
    const Value cos = expand_dims(inputs[1], -2), sin = expand_dims(inputs[2], -2);  // [.., seq, 1, pairs]
    Values turned{first * cos - second * sin, second * cos + first * sin};
    if (2 * pairs < size) turned.push_back(slice(by_head, -1, {2 * pairs, size}));
    return {reshape(convert(concatenate(turned, -1), x.dtype()), x.shape())};
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
