// What the devices of a mesh send each other, as a program's graph says.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// Bytes that each device sends, where arrays go round in a ring.
struct Exchange {
  double parts = 0;  ///< of arrays that are gathered for a layer, or scattered behind it: in each micro-batch
  double sums = 0;   ///< of all_reduce, and of its two halves along data, between which a device updates a part
};

/// Of all collectives, those that remat() computes again included; those in the body of a loop are not.
Exchange exchange_of(const Function& function);

}  // namespace portatune
