#include <algorithm>
#include <limits>
#include <numeric>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

Shape with_width(Shape ids, int64_t width) {
  ids.push_back(width);
  return ids;
}

// The last axis of [ids..., width], for "offset_dims" and similar attributes.
std::string last_axis(const Value& ids) { return stablehlo::list_text({ids.rank()}); }

// gather_rows(table, ids): rows of the table.
//   shape     [ids..., width]
//   gradient  scatter_add_rows, in float32
//   lowering  stablehlo.gather
struct GatherRows final : Op {
  std::string_view name() const override { return "gather_rows"; }
  Types infer(std::span<const Value> inputs) const override {
    require(inputs[0].rank() == 2, name(), inputs, "a table [rows, width] as first operand");
    require(!is_float(inputs[1].dtype()), name(), inputs, "ids of an integer type as second operand");
    return {{inputs[0].dtype(), with_width(inputs[1].shape(), inputs[0].shape()[1])}};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value &table = node.input(0), &ids = node.input(1);
    const Value sums = scatter_add_rows(ids, convert(dresults[0], DType::kFloat32), table.shape()[0]);
    return {convert(sums, table.dtype()), Value()};
  }
  void lower(const Node& node, Lowering& out) const override {
    const Value &table = node.input(0), &ids = node.input(1);
    const std::string numbers =
        "#stablehlo.gather<offset_dims = " + last_axis(ids) +
        ", collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = " + std::to_string(ids.rank()) + ">";
    out.write(node, "stablehlo.gather",
              {{"dimension_numbers", numbers},
               {"slice_sizes", stablehlo::array_text({1, table.shape()[1]})},
               {"indices_are_sorted", "false"}});
  }
};

// The sums of scatter_add_rows in 64-bit integers, which do not depend on the order of the additions: floats are scaled
// such that the sum of all updates would just fit if each were as large as the largest.
Value sum_in_any_order(const Value& ids, const Value& updates, int64_t rows) {
  const double limit = 0x1p62 / static_cast<double>(std::max<int64_t>(ids.shape().elements(), 1));
  std::vector<int64_t> all_axes(static_cast<size_t>(updates.rank()));
  std::iota(all_axes.begin(), all_axes.end(), 0);
  const Value sizes = abs(updates), infinite = full(sizes.type(), std::numeric_limits<double>::infinity());
  const Value nan_as_infinite = select(compare(Direction::kLess, sizes, infinite), sizes, infinite);
  const Value largest = convert(max(nan_as_infinite, all_axes), DType::kFloat64);
  const Value scale = limit / maximum(largest, full(largest.type(), std::numeric_limits<float>::denorm_min()));
  const Value integers = convert(convert(updates, DType::kFloat64) * scale, DType::kInt64);
  const Value sums = convert(scatter_add_rows(ids, integers, rows), DType::kFloat64) / scale;
  return convert(sums + (largest - largest), updates.dtype());  // NaN if an update is not finite
}

// scatter_add_rows(zeros, ids, updates): the zeros with every update added to its row.
//   shape     that of the zeros
//   gradient  to the updates: their rows of dy, for ids in range
//   lowering  the kernel portatune.embedding_grad; on GPUs sum_in_any_order(); or stablehlo.scatter
struct ScatterAddRows final : Op {
  std::string_view name() const override { return "scatter_add_rows"; }
  Types infer(std::span<const Value> inputs) const override {
    const Value &zeros = inputs[0], &ids = inputs[1], &updates = inputs[2];
    require(!is_float(ids.dtype()) && updates.rank() > 0 &&
                updates.shape() == with_width(ids.shape(), updates.shape().back()),
            name(), inputs.subspan(1), "ids of an integer type and updates [ids..., width]");
    return {zeros.type()};
  }
  Values gradient(const Node& node, std::span<const Value> dresults) const override {
    const Value &zeros = node.input(0), &ids = node.input(1), &updates = node.input(2);
    const Value inside =
        bitwise_and(compare(Direction::kGreaterEqual, ids, full(ids.type(), 0)),
                    compare(Direction::kLess, ids, full(ids.type(), static_cast<double>(zeros.shape()[0]))));
    const Value mask = reshape(convert(inside, updates.dtype()), with_width(ids.shape(), 1));
    return {Value(), Value(), gather_rows(dresults[0], ids) * mask};
  }
  void lower(const Node& node, Lowering& out) const override {
    const Value &ids = node.input(1), &updates = node.input(2);
    const bool in_float32 = updates.dtype() == DType::kFloat32 && ids.dtype() == DType::kInt32;
    if (in_float32 && out.call_kernel(node, {.target = "portatune.embedding_grad", .operands = {updates, ids}})) return;
    if (out.is_for_gpu() && is_float(updates.dtype())) {
      return out.substitute(node, {sum_in_any_order(ids, updates, node.types()[0].shape[0])});
    }
    const std::string numbers =
        "#stablehlo.scatter<update_window_dims = " + last_axis(ids) +
        ", inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = " +
        std::to_string(ids.rank()) + ">";
    out.write(node, "stablehlo.scatter",
              {{"scatter_dimension_numbers", numbers}, {"indices_are_sorted", "false"}, {"unique_indices", "false"}},
              stablehlo::binary_region("stablehlo.add", updates.dtype()));
  }
};

}  // namespace

Value gather_rows(const Value& table, const Value& ids) {
  // Convert the gathered rows, not the whole table.
  const Node& made_by = table.node();
  if (made_by.op().name() == "convert") return convert(gather_rows(made_by.input(0), ids), table.dtype());
  return make_node<GatherRows>({table, ids});
}

Value scatter_add_rows(const Value& ids, const Value& updates, int64_t rows) {
  require(updates.rank() > 0, "scatter_add_rows", {&updates, 1}, "updates [ids..., width]");
  const Value zeros = full({updates.dtype(), {rows, updates.shape().back()}}, 0);
  return make_node<ScatterAddRows>({zeros, ids, updates});
}

}  // namespace portatune
