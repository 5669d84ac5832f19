// Collectives that other ops know.
#pragma once

#include "portune/graph.h"

namespace portune {

bool is_all_gather(const Node& node);

}  // namespace portune
