#include "portatune/graph/ops/linear.h"

#include "portatune/graph/checks.h"
#include "portatune/graph/composite.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

// x as a matrix: all axes except the last become one.
Value rows(const Value& x) { return reshape(x, {-1, x.shape().back()}); }

Shape with_last(Shape shape, int64_t size) {
  shape[shape.rank() - 1] = size;
  return shape;
}

// linear_dw(dy, x): dw = dy^T x and db = the sum of dy over all rows, in float32.
//   shape     dy [..., out], x [..., in] -> [out, in] and [out]
//   lowering  the kernel portatune.linear_dw
struct LinearDw final : Composite {
  std::string_view name() const override { return "linear_dw"; }
  Values decompose(std::span<const Value> inputs) const override {
    const Value dy = rows(inputs[0]), x = rows(inputs[1]);
    return {dot_general(dy, x, {.lhs_contracting = {0}, .rhs_contracting = {0}}, DType::kFloat32),
            sum(convert(dy, DType::kFloat32), {0})};
  }
  KernelCall kernel(const Node&) const override { return {.target = "portatune.linear_dw"}; }
};

// matmul(x, w): x w over the last axis; also the gradient of x in a linear layer with the weight w.
//   shape     x [..., in], w float32 [in, out] -> [..., out], type of x
//   gradient  linear and linear_dw
//   lowering  the kernel portatune.linear_dx
struct Matmul final : Composite {
  std::string_view name() const override { return "matmul"; }

  Types infer(std::span<const Value> inputs) const override {
    const Value &x = inputs[0], &w = inputs[1];
    require(is_float(x.dtype()) && x.rank() > 0, name(), inputs, "x [..., in] of a float type as first operand");
    require(w.rank() == 2 && w.dtype() == DType::kFloat32 && w.shape()[0] == x.shape().back(), name(), inputs,
            "a float32 weight [in, out] whose `in` is the last size of x");
    return {{x.dtype(), with_last(x.shape(), w.shape()[1])}};
  }
  Values decompose(std::span<const Value> inputs) const override {
    const Value &x = inputs[0], &w = inputs[1];
    const Value y = dot_general(x, convert(w, x.dtype()), {.lhs_contracting = {x.rank() - 1}, .rhs_contracting = {0}},
                                DType::kFloat32);
    return {convert(y, x.dtype())};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value &x = node.input(0), &w = node.input(1), &dy = dresults[0];
    return {linear(dy, w), make_nodes(std::make_unique<LinearDw>(), {x, dy})[0]};
  }
  KernelCall kernel(const Node& node) const override {
    return {.target = "portatune.linear_dx",
            .operands = {node.input(0), convert(node.input(1), node.input(0).dtype())}};
  }
};

// linear(x, w[, bias]): x w^T + bias.
//   shape     x [..., in], w float32 [out, in], bias float32 [out] -> [..., out], type of x
//   gradient  matmul and linear_dw
//   lowering  the kernel portatune.linear
struct Linear final : Composite {
  std::string_view name() const override { return "linear"; }

  Types infer(std::span<const Value> inputs) const override {
    const Value &x = inputs[0], &w = inputs[1];
    require(is_float(x.dtype()) && x.rank() > 0, name(), inputs, "x [..., in] of a float type as first operand");
    require(w.rank() == 2 && w.dtype() == DType::kFloat32 && w.shape()[1] == x.shape().back(), name(), inputs,
            "a float32 weight [out, in] whose `in` is the last size of x");
    if (inputs.size() > 2) {
      require(inputs[2].type() == TensorType{DType::kFloat32, {w.shape()[0]}}, name(), inputs,
              "a float32 bias [out] as third operand");
    }
    return {{x.dtype(), with_last(x.shape(), w.shape()[0])}};
  }

  Values decompose(std::span<const Value> inputs) const override {
    const Value &x = inputs[0], &w = inputs[1];
    Value y = dot_general(x, convert(w, x.dtype()), {.lhs_contracting = {x.rank() - 1}, .rhs_contracting = {1}},
                          DType::kFloat32);
    if (inputs.size() > 2) y = y + inputs[2];
    return {convert(y, x.dtype())};
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value &x = node.input(0), &w = node.input(1), &dy = dresults[0];
    const Values dw_and_db = make_nodes(std::make_unique<LinearDw>(), {dy, x});
    Values dinputs{matmul(dy, w), dw_and_db[0]};
    if (node.inputs().size() > 2) dinputs.push_back(dw_and_db[1]);
    return dinputs;
  }

  KernelCall kernel(const Node& node) const override {
    Values operands = node.inputs();
    operands[1] = convert(operands[1], operands[0].dtype());
    return {.target = operands.size() > 2 ? "portatune.linear" : "portatune.linear_no_bias", .operands = operands};
  }
};

}  // namespace

bool is_matrix_product(const Node& node) { return node.op().name() == "linear" || node.op().name() == "matmul"; }

Value linear(const Value& x, const Value& weight, const Value& bias) {
  return bias ? make_node<Linear>({x, weight, bias}) : make_node<Linear>({x, weight});
}

Value matmul(const Value& x, const Value& weight) { return make_node<Matmul>({x, weight}); }

}  // namespace portatune
