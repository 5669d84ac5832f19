#include "portatune/graph/ops/collectives.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "portatune/graph/checks.h"
#include "portatune/graph/lowering.h"
#include "portatune/graph/ops/remat.h"
#include "portatune/ops.h"

namespace portatune {
namespace {

struct Collective : Op {
  const Mesh mesh;
  const MeshAxes axes;
  Collective(const Mesh& mesh, MeshAxes axes) : mesh(mesh), axes(std::move(axes)) {}

  void require_mesh(const Lowering& out) const {
    if (mesh == out.mesh()) return;
    throw UsageError({.where = std::string(name()),
                      .given = "a collective of the mesh " + to_string(mesh),
                      .expected = "a collective of " + to_string(out.mesh()) + ", the mesh of the function"});
  }

  // The groups as "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>", and a unique channel, because devices may run
  // independent collectives in different orders.
  Attributes attributes(Lowering& out) const {
    std::vector<std::string> groups;
    for (const std::vector<int64_t>& group : mesh.groups(axes)) groups.push_back(stablehlo::list_text(group));
    const std::string shape = fmt::format("tensor<{}x{}xi64>", groups.size(), mesh.size(axes));
    return {{"replica_groups", fmt::format("dense<[{}]> : {}", fmt::join(groups, ", "), shape)},
            {"channel_handle", fmt::format("#stablehlo.channel_handle<handle = {}, type = 1>", out.new_channel())},
            {"use_global_device_ids", "unit"}};
  }

  // Writes the collective as a kernel call if the devices of the target are processes; along the first axis.
  bool call_between_processes(const Node& node, Lowering& out, KernelCall call) const {
    if (!out.across_processes()) return false;
    std::vector<int64_t> members;
    for (const std::vector<int64_t>& group : mesh.groups(axes)) {
      members.insert(members.end(), group.begin(), group.end());
    }
    call.attributes = {{"groups", stablehlo::array_text(members)}, {"group_size", i64_attribute(mesh.size(axes))}};
    return out.call_in_order(node, call);
  }
};

// x with one axis moved to another index.
Value move_axis(const Value& x, int64_t from, int64_t to) {
  std::vector<int64_t> permutation(static_cast<size_t>(x.rank()));
  std::iota(permutation.begin(), permutation.end(), 0);
  permutation.erase(permutation.begin() + from);
  permutation.insert(permutation.begin() + to, from);
  return transpose(x, std::move(permutation));
}

// Equal parts of x along an axis, stacked on a new first axis: [parts, ..., size / parts, ...]. Each part is
// contiguous, and is copied in runs as long as its share of the axis, which is fast.
Value stacked_parts(const Value& x, int64_t axis, int64_t parts) {
  Shape shape = x.shape();
  shape[axis] /= parts;
  shape.insert(axis, parts);
  return move_axis(reshape(x, std::move(shape)), axis, 0);
}

// Stacked parts, joined along an axis.
Value side_by_side(const Value& stacked, int64_t axis) {
  Shape shape = stacked.shape();
  shape.erase(0);
  shape[axis] *= stacked.shape()[0];
  return reshape(move_axis(stacked, 0, axis), std::move(shape));
}

// all_reduce(x): the sum over a group of devices.
//   gradient  all_reduce of dy: each x is in the results of all
//   lowering  stablehlo.all_reduce
struct AllReduce final : Collective {
  using Collective::Collective;
  std::string_view name() const override { return "all_reduce"; }
  Types infer(std::span<const Value> inputs) const override { return {inputs[0].type()}; }
  Values gradient(const Node&, std::span<const Value> dresults) const override {
    return {all_reduce(dresults[0], mesh, axes)};
  }
  void lower(const Node& node, Lowering& out) const override {
    require_mesh(out);
    if (out.across_processes() && node.input(0).dtype() == DType::kFloat16) {  // kernels do not support it
      const Value sum = all_reduce(convert(node.input(0), DType::kFloat32), mesh, axes);
      return out.substitute(node, {convert(sum, DType::kFloat16)});
    }
    if (call_between_processes(node, out, {.target = "portatune.all_reduce", .in_place = {{0, 0}}})) return;
    out.write(node, "stablehlo.all_reduce", attributes(out),
              stablehlo::binary_region("stablehlo.add", node.input(0).dtype()));
  }
};

// all_gather(x, axis, sent_as): the arrays of a group joined along an axis, rounded to the type in which they are sent.
//   gradient  reduce_scatter of dy, in the type of x
//   lowering  stablehlo.all_gather along the first axis, as for reduce_scatter; between conversions if it is sent in
//             another type
struct AllGather final : Collective {
  const int64_t axis;
  const DType sent_as;
  AllGather(int64_t axis, const Mesh& mesh, MeshAxes axes, DType sent_as)
      : Collective(mesh, std::move(axes)), axis(axis), sent_as(sent_as) {}

  std::string_view name() const override { return "all_gather"; }
  Types infer(std::span<const Value> inputs) const override {
    TensorType type = inputs[0].type();
    type.shape[axis] *= mesh.size(axes);
    return {type};
  }
  Values gradient(const Node&, std::span<const Value> dresults) const override {
    return {reduce_scatter(dresults[0], axis, mesh, axes)};
  }
  void lower(const Node& node, Lowering& out) const override {
    const Value& x = node.input(0);
    if (sent_as != x.dtype()) {
      return out.substitute(node, {convert(all_gather(convert(x, sent_as), axis, mesh, axes), x.dtype())});
    }
    if (axis != 0) {
      return out.substitute(node, {side_by_side(all_gather(expand_dims(x, 0), 0, mesh, axes), axis)});
    }
    require_mesh(out);
    if (call_between_processes(node, out, {.target = "portatune.all_gather", .moves_bytes = true})) return;
    Attributes all = attributes(out);
    all.emplace_back("all_gather_dim", i64_attribute(axis));
    out.write(node, "stablehlo.all_gather", std::move(all));
  }
};

// reduce_scatter(x, axis): a part of the sum over a group.
//   gradient  all_gather of dy
//   lowering  stablehlo.reduce_scatter along the first axis. Along another axis, the CPU's plugin 0.0.1 computes wrong
//             results if the operand comes from a kernel; other plugins also transpose.
struct ReduceScatter final : Collective {
  const int64_t axis;
  ReduceScatter(int64_t axis, const Mesh& mesh, MeshAxes axes) : Collective(mesh, std::move(axes)), axis(axis) {}

  std::string_view name() const override { return "reduce_scatter"; }
  Types infer(std::span<const Value> inputs) const override {
    return {part_of(inputs[0].type(), {.axis = axis, .over = axes}, mesh)};
  }
  Values gradient(const Node&, std::span<const Value> dresults) const override {
    return {all_gather(dresults[0], axis, mesh, axes)};
  }
  void lower(const Node& node, Lowering& out) const override {
    if (axis != 0) {
      const Value stacked = stacked_parts(node.input(0), axis, mesh.size(axes));
      return out.substitute(node, {reshape(reduce_scatter(stacked, 0, mesh, axes), node.types()[0].shape)});
    }
    require_mesh(out);
    if (call_between_processes(node, out, {.target = "portatune.reduce_scatter"})) return;
    Attributes all = attributes(out);
    all.emplace_back("scatter_dimension", i64_attribute(axis));
    out.write(node, "stablehlo.reduce_scatter", std::move(all),
              stablehlo::binary_region("stablehlo.add", node.input(0).dtype()));
  }
};

// replica_id(): the number of the device in the mesh.
//   lowering  stablehlo.replica_id; the kernel portatune.process_rank if the devices are processes
struct ReplicaId final : Op {
  std::string_view name() const override { return "replica_id"; }
  Types infer(std::span<const Value>) const override { return {{DType::kUInt32, {}}}; }
  void lower(const Node& node, Lowering& out) const override {
    if (!out.call_kernel(node, {.target = "portatune.process_rank"})) out.write(node, "stablehlo.replica_id");
  }
};

}  // namespace

std::optional<Sending> sending_of(const Node& node) {
  const auto* const collective = dynamic_cast<const Collective*>(&op_of(node));
  if (collective == nullptr) return std::nullopt;
  const auto* const gather = dynamic_cast<const AllGather*>(collective);
  return Sending{.devices = collective->mesh.size(collective->axes),
                 .axes = collective->axes,
                 .dtype = gather == nullptr ? node.input(0).dtype() : gather->sent_as};
}

bool is_all_gather(const Node& node) { return node.op().name() == "all_gather"; }

std::optional<GatheredParts> gathered_parts(const Value& x) {
  const auto* op = dynamic_cast<const AllGather*>(&x.node().op());
  if (!op || op->sent_as != x.dtype()) return std::nullopt;
  return GatheredParts{x.node().input(0), op->axis, op->mesh, op->axes};
}

Value all_reduce(const Value& x, const Mesh& mesh, const MeshAxes& axes) {
  return mesh.size(axes) == 1 ? x : make_node<AllReduce>({x}, mesh, axes);
}

Value all_gather(const Value& x, int64_t axis, const Mesh& mesh, const MeshAxes& axes, std::optional<DType> sent_as) {
  if (mesh.size(axes) == 1) return x;
  return make_node<AllGather>({x}, normalise_axis("all_gather", axis, x), mesh, axes, sent_as.value_or(x.dtype()));
}

Value reduce_scatter(const Value& x, int64_t axis, const Mesh& mesh, const MeshAxes& axes) {
  if (mesh.size(axes) == 1) return x;
  return make_node<ReduceScatter>({x}, normalise_axis("reduce_scatter", axis, x), mesh, axes);
}

Value place_of_device(const Mesh& mesh, const MeshAxes& axes) {
  if (mesh.size(axes) == 1) return full({DType::kInt32, {}}, 0);
  std::vector<int32_t> indices;
  for (int64_t device = 0; device < mesh.devices(); ++device) {
    indices.push_back(static_cast<int32_t>(mesh.index(device, axes)));
  }
  const Value device = convert(make_node<ReplicaId>({}), DType::kInt32);
  return reshape(dynamic_slice(constant(vector_of(indices)), 0, device, 1), {});
}

}  // namespace portatune
