// The amount of data that the devices of a mesh exchange, from a program's graph.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// Bytes that each device sends in collectives by a ring.
struct Exchange {
  double parts = 0;  ///< for arrays that are gathered for a layer or scattered after it, in each micro-batch
  double sums = 0;   ///< for all_reduce, and for its two halves along data, between which a device updates its shard
};

/// The exchange of all collectives, including those that remat() computes again; those of a loop over an index count in
/// each iteration.
Exchange exchange_of(const Function& function);

}  // namespace portatune
