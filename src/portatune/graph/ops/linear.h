// Recognition of products with weights in graphs.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// True if the node is a linear() or a matmul().
bool is_matrix_product(const Node& node);

}  // namespace portatune
