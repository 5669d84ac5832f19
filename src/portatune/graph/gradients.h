// Reverse-mode differentiation of a part of a graph.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// What flows back to each of `wrt` when `dresults` (an absent one: zero) flow into `results`; absent where nothing
/// does.
/// at_wrt  kStop treats `wrt` as the inputs of the part: what one of them owes to another does not count.
enum class AtWrt { kStop, kContinue };
Values backpropagate(std::span<const Value> results, std::span<const Value> dresults, std::span<const Value> wrt,
                     AtWrt at_wrt);

}  // namespace portatune
