#include "portatune/train/program/shared_update.h"

#include "portatune/ops.h"

namespace portatune::train {
namespace {

const MeshAxes kData = {MeshAxis::kData};

}  // namespace

SharedUpdate::SharedUpdate(const nn::Parameter& parameter, const Mesh& mesh)
    : mesh_(mesh), sharding_(parameter.sharding) {
  const Shape& shape = parameter.input.shape();  // of a device's shard
  if (mesh.data == 1 || mesh.fsdp > 1 || shape.rank() < 2) return;
  const bool is_whole = sharding_.over.empty();
  const int64_t first = is_whole ? 0 : sharding_.axis, last = is_whole ? shape.rank() - 1 : sharding_.axis;
  for (int64_t axis = first; axis <= last && !is_divided_; ++axis) {
    if (shape[axis] % mesh.data != 0) continue;
    sharding_.axis = axis;
    sharding_.over.push_back(MeshAxis::kData);
    is_divided_ = true;
  }
}

Value SharedUpdate::sum_over_devices(const Value& gradient) const {
  const Value part = is_divided_ ? reduce_scatter(gradient, sharding_.axis, mesh_, kData) : gradient;
  return all_reduce(part, mesh_, other_axes(sharding_.over));
}

Value SharedUpdate::part(const Value& held, const Value& place) const {
  if (!is_divided_) return held;
  const int64_t size = held.shape()[sharding_.axis] / mesh_.data;
  return dynamic_slice(held, sharding_.axis, place * static_cast<double>(size), size);
}

Value SharedUpdate::held(const Value& part) const {
  return is_divided_ ? all_gather(part, sharding_.axis, mesh_, kData) : part;
}

}  // namespace portatune::train
