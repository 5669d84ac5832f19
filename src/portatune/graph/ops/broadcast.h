// NumPy's broadcasting of several operands.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// The values, broadcast to their common shape. ShapeError that names `op` if there is none, or if their element types
/// differ.
Values broadcast_together(std::string_view op, const Values& values);

}  // namespace portatune
