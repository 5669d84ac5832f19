// The random bits of dropout, for the composites that drop.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// Multiplies x by 0 with probability `rate`, else by 1 / (1 - rate), in the type of x; the mask of an element depends
/// on `key` (uint32 [2]) and on its row-major index in x (modulo 2^32).
Value drop(const Value& x, const Value& key, double rate);
/// The same, for the first part of an array of the shape `whole`, in which its elements have other indices.
Value drop(const Value& x, const Shape& whole, const Value& key, double rate);

/// A rate that a dropout may have.
void require_rate(std::string_view op, std::span<const Value> inputs, double rate);

}  // namespace portatune
