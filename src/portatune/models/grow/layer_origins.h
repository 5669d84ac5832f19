// The layers of a small model from which the layers of a larger one begin.
#pragma once

#include <cstdint>
#include <vector>

#include "portatune/option_fields.h"

namespace portatune::grow {

/// How a model gets more layers.
enum class Depth {
  kStack,        ///< layer i is layer i mod n of n: the layers again, on top
  kInterpolate,  ///< layer i of m is layer floor(i n / m): each layer several times in a row
  kZero          ///< kStack, and the layers on top return their input: the model computes the same
};
constexpr auto names_of(Depth) {
  return std::to_array<NamedValue<Depth>>(
      {{Depth::kStack, "stack"}, {Depth::kInterpolate, "interpolate"}, {Depth::kZero, "zero"}});
}

/// The origin of one layer.
struct LayerOrigin {
  int64_t layer = 0;       ///< number of the layer in the small model
  bool is_silent = false;  ///< whether the layer begins by returning its input
};

/// The origins of all layers of the larger model.
/// from, to   numbers of layers, from <= to
std::vector<LayerOrigin> layer_origins(Depth depth, int64_t from, int64_t to);

}  // namespace portatune::grow
