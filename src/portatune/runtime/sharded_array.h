// Arrays on the devices of a mesh.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "portatune/graph.h"
#include "portatune/process_group.h"
#include "portatune/runtime/pjrt/buffer.h"
#include "portatune/tensor.h"

namespace portatune {

/// Part number `index` of an array that is divided into equal parts along an axis.
Tensor part_at(const TensorView& whole, int64_t axis, int64_t parts, int64_t index);
/// The inverse: joins parts along an axis.
/// parts  at least one; all have the same type
Tensor join(const std::vector<Tensor>& parts, int64_t axis);

/// Reorders an array of blocks of equal pieces along an axis: the first pieces of all blocks, then the second ones, and
/// so on. A shard that has one piece of every block is then contiguous. With `blocks` and `pieces` swapped it is the
/// inverse.
/// pieces  number of pieces in a block
Tensor interleave(const TensorView& array, int64_t axis, int64_t blocks, int64_t pieces);

/// An array as one buffer on each device of this process.
class ShardedArray {
 public:
  /// processes  processes with the same number of devices each; null: this process owns all devices
  ShardedArray(const Mesh& mesh, std::shared_ptr<ProcessGroup> processes, Sharding sharding,
               std::vector<pjrt::Buffer> buffers);

  const Mesh& mesh() const { return mesh_; }
  /// Type of the whole array.
  const TensorType& type() const { return type_; }
  bool is_divided() const { return mesh_.size(sharding_.over) > 1; }
  /// Copies the array to the host; waits for all shards. See DeviceArray::to_host().
  Tensor to_host(Tensor memory = {}) const;
  /// Calls `done` once, when all devices have finished.
  void on_ready(std::function<void()> done) const;

  /// Buffers of this process's devices.
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
