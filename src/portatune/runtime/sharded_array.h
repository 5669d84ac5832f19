// Arrays that the devices of a mesh hold together.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "portatune/mesh.h"
#include "portatune/pjrt/buffer.h"
#include "portatune/process_group.h"
#include "portatune/tensor.h"

namespace portatune {

/// The part of a whole array that is at place `place` of its parts along an axis, and the way back.
/// parts  at least 1; they have one type
Tensor part_at(const TensorView& whole, int64_t axis, int64_t parts, int64_t place);
Tensor join(const std::vector<Tensor>& parts, int64_t axis);

/// An array of blocks of equal pieces along an axis, in another order: the first piece of every block, the second of
/// every block, and so on. Then parts that have a piece of every block are parts side by side.
/// pieces  in a block. With the two numbers swapped it is the way back.
Tensor interleave(const TensorView& array, int64_t axis, int64_t blocks, int64_t pieces);

/// A buffer on each of this process's devices.
class ShardedArray {
 public:
  /// processes  that have equally many devices each; null: this one has all
  ShardedArray(const Mesh& mesh, std::shared_ptr<ProcessGroup> processes, Sharding sharding,
               std::vector<pjrt::Buffer> buffers);

  const Mesh& mesh() const { return mesh_; }
  /// Of the whole array.
  const TensorType& type() const { return type_; }
  bool is_divided() const { return mesh_.size(sharding_.over) > 1; }
  /// Waits for all parts.
  Tensor to_host() const;
  /// Calls `done` once, when all devices are done.
  void on_ready(std::function<void()> done) const;

  /// Of this process's devices.
  std::vector<pjrt::Buffer>& buffers() { return buffers_; }

 private:
  std::vector<Tensor> own_parts(const std::vector<int64_t>& devices) const;
  std::vector<Tensor> parts() const;

  Mesh mesh_;
  std::shared_ptr<ProcessGroup> processes_;
  Sharding sharding_;
  TensorType type_;
  std::vector<pjrt::Buffer> buffers_;
};

}  // namespace portatune
