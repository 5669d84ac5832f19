// A mesh of devices with named axes, and the sharding of arrays over it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/tensor.h"

namespace portatune {

/// Devices along `data` and `fsdp` work on different rows of a batch. Along `data` each device holds all weights and,
/// if `fsdp` is 1, a shard of the optimizer state of matrices. Along `fsdp` each device holds a shard of both, and
/// gathers a weight when a layer needs it. Devices along `tensor` work on the same rows; each has a part of the heads
/// and features of each layer.
/// source: Zhao et al. 2023, arXiv:2304.11277 (FSDP); Shoeybi et al. 2019, arXiv:1909.08053 (tensor parallelism)
enum class MeshAxis { kData, kFsdp, kTensor };
using MeshAxes = std::vector<MeshAxis>;

/// The axes over which the rows of a batch are divided.
inline const MeshAxes kBatchAxes = {MeshAxis::kData, MeshAxis::kFsdp};

/// A grid of devices. Device (d * fsdp + f) * tensor + t has index d along data, f along fsdp and t along tensor.
struct Mesh {
  int64_t data = 1, fsdp = 1, tensor = 1;

  bool operator==(const Mesh&) const = default;

  int64_t devices() const { return data * fsdp * tensor; }
  /// Number of devices along these axes, the size of each of groups().
  int64_t size(const MeshAxes& axes) const;
  /// Index of a device in its group; the first axis is the major one.
  int64_t index(int64_t device, const MeshAxes& axes) const;
  /// All devices in groups that differ only along these axes, in the order of index(). The groups of a mesh of two by
  /// two along data are {{0, 2}, {1, 3}}.
  std::vector<std::vector<int64_t>> groups(const MeshAxes& axes) const;
};

/// All axes except these.
MeshAxes other_axes(const MeshAxes& axes);

/// Parses a mesh such as "data=4,fsdp=2".
/// errors  UsageError, which names the known axes
Mesh parse_mesh(const std::string& text);
/// The mesh as text, "data=4,fsdp=2"; "data=1" for one device.
std::string to_string(const Mesh& mesh);

/// The layout of an array on the devices of a mesh: divided into equal shards along one axis, or whole on each device.
struct Sharding {
  int64_t axis = 0;
  MeshAxes over = {};  ///< mesh axes over which the array is divided; empty: each device holds the whole array
  /// Number of equal blocks along the axis, such as 3 for the weights of queries, keys and values in one array. The
  /// devices along the first axis of `over` have a part of every block; the devices along the others divide that part.
  int64_t blocks = 1;

  bool operator==(const Sharding&) const = default;
};

/// The type of each device's shard of an array.
/// errors  ShapeError if the array cannot be divided so
TensorType part_of(const TensorType& whole, const Sharding& sharding, const Mesh& mesh);

}  // namespace portatune
