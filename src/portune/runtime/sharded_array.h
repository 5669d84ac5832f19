// Arrays that the devices of a mesh hold together.
#pragma once

#include <functional>
#include <vector>

#include "portune/mesh.h"
#include "portune/pjrt/buffer.h"
#include "portune/tensor.h"

namespace portune {

/// The part of a whole array that is at place `place` of its parts along an axis, and the way back.
/// parts  at least 1; they have one type
Tensor part_at(const TensorView& whole, int64_t axis, int64_t parts, int64_t place);
Tensor join(const std::vector<Tensor>& parts, int64_t axis);

/// A buffer on each device.
class ShardedArray {
 public:
  ShardedArray(const Mesh& mesh, Sharding sharding, std::vector<pjrt::Buffer> buffers);

  const Mesh& mesh() const { return mesh_; }
  /// Of the whole array.
  const TensorType& type() const { return type_; }
  /// Waits for all parts.
  Tensor to_host() const;
  /// Calls `done` once, when all devices are done.
  void on_ready(std::function<void()> done) const;

  pjrt::Buffer& on(size_t device) { return buffers_[device]; }

 private:
  Mesh mesh_;
  Sharding sharding_;
  TensorType type_;
  std::vector<pjrt::Buffer> buffers_;
};

}  // namespace portune
