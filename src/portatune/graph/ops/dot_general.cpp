#include "portatune/graph/ops/dot_general.h"

#include <algorithm>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

using Axes = std::vector<int64_t>;

// The axes of an operand that are neither batch nor contracting.
Axes free_axes(int64_t rank, const Axes& batch, const Axes& contracting) {
  Axes rest;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (std::ranges::find(batch, axis) == batch.end() && std::ranges::find(contracting, axis) == contracting.end()) {
      rest.push_back(axis);
    }
  }
  return rest;
}

bool pairwise_equal(const Shape& x, const Axes& x_axes, const Shape& y, const Axes& y_axes) {
  return std::ranges::equal(x_axes, y_axes, [&](int64_t i, int64_t j) { return x[i] == y[j]; });
}

Axes consecutive(size_t begin, size_t count) {
  Axes axes(count);
  for (size_t i = 0; i < count; ++i) axes[i] = static_cast<int64_t>(begin + i);
  return axes;
}

Axes joined(const Axes& a, const Axes& b, const Axes& c) {
  Axes all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

bool none_negative(const Axes& axes) {
  return std::ranges::all_of(axes, [](int64_t axis) { return axis >= 0; });
}

// dot_general(lhs, rhs, dims): sums of products over the contracting axes.
//   shape     batch axes, free axes of lhs, free axes of rhs; paired axes have equal sizes
//   gradient  dlhs = dy rhs and drhs = dy lhs over the other operand's free axes, axes put back in their places
//   lowering  stablehlo.dot_general
struct DotGeneral final : Op {
  const DotDimensions dims;
  const DType result;
  DotGeneral(DotDimensions dims, DType result) : dims(std::move(dims)), result(result) {}

  std::string_view name() const override { return "dot_general"; }

  Types infer(std::span<const Value> inputs) const override {
    normalise_axes(name(), joined(dims.lhs_batch, dims.lhs_contracting, {}), inputs[0]);  // checks the axes
    normalise_axes(name(), joined(dims.rhs_batch, dims.rhs_contracting, {}), inputs[1]);
    const Shape &lhs = inputs[0].shape(), &rhs = inputs[1].shape();
    require(
        none_negative(joined(dims.lhs_batch, dims.lhs_contracting, joined(dims.rhs_batch, dims.rhs_contracting, {}))),
        name(), inputs, "axes counted from the front");
    require(inputs[0].dtype() == inputs[1].dtype(), name(), inputs, "one element type", "", "convert() one of them");
    require(pairwise_equal(lhs, dims.lhs_batch, rhs, dims.rhs_batch) &&
                pairwise_equal(lhs, dims.lhs_contracting, rhs, dims.rhs_contracting),
            name(), inputs, "equal sizes on paired axes",
            ", batch " + stablehlo::list_text(dims.lhs_batch) + " x " + stablehlo::list_text(dims.rhs_batch) +
                ", contracting " + stablehlo::list_text(dims.lhs_contracting) + " x " +
                stablehlo::list_text(dims.rhs_contracting));
    Shape shape;
    for (const int64_t axis : dims.lhs_batch) shape.push_back(lhs[axis]);
    for (const int64_t axis : free_axes(lhs.rank(), dims.lhs_batch, dims.lhs_contracting)) shape.push_back(lhs[axis]);
    for (const int64_t axis : free_axes(rhs.rank(), dims.rhs_batch, dims.rhs_contracting)) shape.push_back(rhs[axis]);
    return {{result, shape}};
  }

  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value &lhs = node.input(0), &rhs = node.input(1);
    const Value dy = convert(dresults[0], lhs.dtype());
    const Axes lhs_free = free_axes(lhs.rank(), dims.lhs_batch, dims.lhs_contracting);
    const Axes rhs_free = free_axes(rhs.rank(), dims.rhs_batch, dims.rhs_contracting);
    const Axes batch = consecutive(0, dims.lhs_batch.size());
    const Axes dy_lhs = consecutive(batch.size(), lhs_free.size());
    const Axes dy_rhs = consecutive(batch.size() + lhs_free.size(), rhs_free.size());
    return {operand_gradient(dy, rhs, {batch, dims.rhs_batch, dy_rhs, rhs_free}, dims.lhs_batch, lhs_free,
                             dims.lhs_contracting, dims.rhs_contracting),
            operand_gradient(dy, lhs, {batch, dims.lhs_batch, dy_lhs, lhs_free}, dims.rhs_batch, rhs_free,
                             dims.rhs_contracting, dims.lhs_contracting)};
  }

  // dot(dy, other) has the axes batch, free (of the operand) and `other`'s contracting axes in rising order. The latter
  // correspond to the operand's contracting axes with which they were paired.
  static Value operand_gradient(const Value& dy, const Value& other, const DotDimensions& pairing, const Axes& batch,
                                const Axes& free, const Axes& contracting, const Axes& other_contracting) {
    const Value product = dot_general(dy, other, pairing);
    Axes rising(contracting.size());
    for (size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<int64_t>(i);
    std::ranges::sort(rising, {}, [&](int64_t i) { return other_contracting[static_cast<size_t>(i)]; });
    Axes partner;
    for (const int64_t i : rising) partner.push_back(contracting[static_cast<size_t>(i)]);
    const Axes target = joined(batch, free, partner);  // axis i of the product is axis target[i] of the operand
    Axes permutation(target.size());
    for (size_t i = 0; i < target.size(); ++i) permutation[static_cast<size_t>(target[i])] = static_cast<int64_t>(i);
    return std::ranges::is_sorted(permutation) ? product : transpose(product, permutation);
  }

  void lower(const Node& node, Lowering& out) const override {
    const auto axes = [](const char* label, const Axes& values) {
      return std::string(label) + " = " + stablehlo::list_text(values);
    };
    const std::string numbers = "#stablehlo.dot<" + axes("lhs_batching_dimensions", dims.lhs_batch) + ", " +
                                axes("rhs_batching_dimensions", dims.rhs_batch) + ", " +
                                axes("lhs_contracting_dimensions", dims.lhs_contracting) + ", " +
                                axes("rhs_contracting_dimensions", dims.rhs_contracting) + ">";
    // At default precision, a TPU multiplies float32 as bfloat16 and a GPU as TF32, but the operands require float32.
    const std::string precision = node.input(0).dtype() == DType::kFloat32 ? "HIGHEST" : "DEFAULT";
    const std::string both = "#stablehlo<precision " + precision + ">, #stablehlo<precision " + precision + ">";
    out.write(node, "stablehlo.dot_general",
              {{"dot_dimension_numbers", numbers}, {"precision_config", "[" + both + "]"}});
  }
};

}  // namespace

double dot_flops(const Node& node) {
  const auto* dot = dynamic_cast<const DotGeneral*>(&node.op());
  if (dot == nullptr) return 0;
  double flops = 2 * static_cast<double>(node.types()[0].shape.elements());
  for (const int64_t axis : dot->dims.lhs_contracting) flops *= static_cast<double>(node.input(0).shape()[axis]);
  return flops;
}

Value dot_general(const Value& lhs, const Value& rhs, const DotDimensions& dims, std::optional<DType> result) {
  return make_node<DotGeneral>({lhs, rhs}, dims, result.value_or(lhs.dtype()));
}

}  // namespace portatune
