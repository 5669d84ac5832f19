// Collectives that other ops know.
#pragma once

#include <cstdint>
#include <optional>

#include "portune/graph.h"
#include "portune/mesh.h"

namespace portune {

bool is_all_gather(const Node& node);
/// How many devices a collective is between; nothing for another op.
std::optional<int64_t> group_size_of(const Node& node);

/// What an all_gather has put side by side along `axis`.
struct GatheredParts {
  Value part;  ///< of this device
  int64_t axis;
  Mesh mesh;
  MeshAxes axes;
};
/// Absent for a value that no all_gather has made.
std::optional<GatheredParts> gathered_parts(const Value& x);

}  // namespace portune
