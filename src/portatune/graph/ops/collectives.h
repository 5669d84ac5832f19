// Collectives that other ops know.
#pragma once

#include <cstdint>
#include <optional>

#include "portatune/graph.h"
#include "portatune/mesh.h"

namespace portatune {

bool is_all_gather(const Node& node);
/// Between how many devices a collective is, along which axes, and in which type arrays cross the links.
struct Sending {
  int64_t devices;
  MeshAxes axes;
  DType dtype;
};
/// Absent for another op.
std::optional<Sending> sending_of(const Node& node);

/// What an all_gather has put side by side along `axis`.
struct GatheredParts {
  Value part;  ///< of this device
  int64_t axis;
  Mesh mesh;
  MeshAxes axes;
};
/// Absent for a value that no all_gather has made, or that was rounded on its way.
std::optional<GatheredParts> gathered_parts(const Value& x);

}  // namespace portatune
