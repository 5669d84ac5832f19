// Products with weights, as seen by ops that look at graphs.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// Whether the node is a linear() or a matmul().
bool is_matrix_product(const Node& node);

}  // namespace portatune
