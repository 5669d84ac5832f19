// Packed batches side by side in one.
#pragma once

#include <vector>

#include "portatune/data.h"

namespace portatune::data {

/// Joins packed batches to one of PackedShapes::parts parts. Missing parts have no example: weight 0.
/// parts   at least one; all have the same number of rows
/// errors  DataError naming the part's origin, if its arrays differ in type from those of the first
Example side_by_side(std::vector<Example> parts, const PackOptions& options);

}  // namespace portatune::data
