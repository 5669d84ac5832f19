// Properties of collectives for other ops.
#pragma once

#include <cstdint>
#include <optional>

#include "portatune/graph.h"

namespace portatune {

bool is_all_gather(const Node& node);
/// The number of devices of a collective, its axes, and the type in which arrays are sent.
struct Sending {
  int64_t devices;
  MeshAxes axes;
  DType dtype;
};
/// Properties of a collective; absent for another op.
std::optional<Sending> sending_of(const Node& node);

/// The operand of an all_gather along `axis`.
struct GatheredParts {
  Value part;  ///< part of this device
  int64_t axis;
  Mesh mesh;
  MeshAxes axes;
};
/// The parts of a gathered value; absent if x is no result of an all_gather, or if it was rounded for sending.
std::optional<GatheredParts> gathered_parts(const Value& x);

}  // namespace portatune
