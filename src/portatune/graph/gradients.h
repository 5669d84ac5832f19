// Reverse-mode differentiation of a part of a graph.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// Gradients of `wrt`, given the gradients `dresults` of `results` (an absent one is zero); absent if none flows.
/// at_wrt  kStop treats `wrt` as the inputs of the part: dependencies among `wrt` are ignored
enum class AtWrt { kStop, kContinue };
Values backpropagate(std::span<const Value> results, std::span<const Value> dresults, std::span<const Value> wrt,
                     AtWrt at_wrt);

}  // namespace portatune
