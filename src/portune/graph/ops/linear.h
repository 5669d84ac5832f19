// Products with weights, as seen by ops that look at graphs.
#pragma once

#include "portune/graph.h"

namespace portune {

/// Whether the node is a linear() or a matmul().
bool is_matrix_product(const Node& node);

}  // namespace portune
