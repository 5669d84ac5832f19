// Devices in a grid with named axes, and how arrays are divided over them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "portatune/tensor.h"

namespace portatune {

/// Along `data` and `fsdp` the devices work on different rows of a batch. Along `data` each holds all weights, and
/// where there is no `fsdp` a part of what the optimizer keeps of matrices; along `fsdp` each holds a part of both, and
/// gets the whole weight where a layer needs it. Along `tensor` the devices work on the same rows, each with its part
/// of the heads and features of a layer.
/// source: Zhao et al. 2023, arXiv:2304.11277 (FSDP); Shoeybi et al. 2019, arXiv:1909.08053 (tensor parallelism)
enum class MeshAxis { kData, kFsdp, kTensor };
using MeshAxes = std::vector<MeshAxis>;

/// The axes that the rows of a batch are divided over.
inline const MeshAxes kBatchAxes = {MeshAxis::kData, MeshAxis::kFsdp};

/// A grid of devices. Device number (d * fsdp + f) * tensor + t is at place d along data, f along fsdp, t along tensor.
struct Mesh {
  int64_t data = 1, fsdp = 1, tensor = 1;

  bool operator==(const Mesh&) const = default;

  int64_t devices() const { return data * fsdp * tensor; }
  /// How many devices differ along these axes alone.
  int64_t size(const MeshAxes& axes) const;
  /// The number of a device among those, the first axis being the major one.
  int64_t place(int64_t device, const MeshAxes& axes) const;
  /// All devices, those together that differ along these axes alone, in the order of their places: of two by two along
  /// data {{0, 2}, {1, 3}}.
  std::vector<std::vector<int64_t>> groups(const MeshAxes& axes) const;
};

/// All axes but these.
MeshAxes other_axes(const MeshAxes& axes);

/// "data=4,fsdp=2".
/// errors  UsageError that names the axes that there are
Mesh parse_mesh(const std::string& text);
/// "data=4,fsdp=2"; "data=1" for one device.
std::string to_string(const Mesh& mesh);

/// How the devices of a mesh hold an array: divided into equal parts along one of its axes, or each all of it.
struct Sharding {
  int64_t axis = 0;
  MeshAxes over = {};  ///< empty: each device holds the whole array
  /// What lies side by side along the axis in equal blocks, such as the weights for queries, keys and values in one
  /// array: the devices along the first of `over` have a part of every block, which those along the others divide.
  int64_t blocks = 1;

  bool operator==(const Sharding&) const = default;
};

/// What each device holds of a whole array.
/// errors  ShapeError if it cannot be divided so
TensorType part_of(const TensorType& whole, const Sharding& sharding, const Mesh& mesh);

}  // namespace portatune
