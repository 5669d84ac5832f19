// NumPy's broadcasting of several operands.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// True if arrays of shape `from` can be broadcast to the shape `to`.
bool broadcasts_to(const Shape& from, const Shape& to);

/// The values, broadcast to their common shape. ShapeError that names `op` if there is none, or if their element types
/// differ.
Values broadcast_together(std::string_view op, const Values& values);

}  // namespace portatune
