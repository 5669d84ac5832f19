// Packed batches side by side in one.
#pragma once

#include <vector>

#include "portatune/data.h"
#include "portatune/packing.h"

namespace portatune::data {

/// One batch of several packed ones, as PackedShapes::parts has it. Those that are missing have no example: weight 0.
/// parts   at least one, with as many rows each
/// errors  DataError naming the part's origin, if its arrays differ in type from those of the first
Example side_by_side(std::vector<Example> parts, const PackOptions& options);

}  // namespace portatune::data
