// Dropout by random bits, for composites.
#pragma once

#include "portatune/graph.h"

namespace portatune {

/// Multiplies x by 0 or by the factor of a dropout_rule(), in the type of x; the mask of an element depends on `key`
/// (uint32 [2]) and on its row-major index in x (modulo 2^32).
Value drop(const Value& x, const Value& key, const Value& rule);
/// The same for the first part of an array of the shape `whole`, with the indices of the elements in that array.
Value drop(const Value& x, const Shape& whole, const Value& key, const Value& rule);

/// The type of a dropout_rule().
inline const TensorType kDropoutRule{DType::kFloat32, {2}};

/// Throws a ShapeError unless the rate is in [0, 1).
void require_rate(std::string_view op, std::span<const Value> inputs, double rate);

}  // namespace portatune
