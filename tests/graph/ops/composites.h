// Code shared by the tests of composites.
#pragma once

#include "graph/evaluate.h"

namespace portatune::test {

inline constexpr DType kF32 = DType::kFloat32, kBF16 = DType::kBFloat16;

inline Tensor f32(const Shape& shape, uint32_t seed = 1) { return random(TensorType{kF32, shape}, seed); }

/// Coarse tolerances for central differences in float32. Wrong formulas differ much more.
inline constexpr GradientCheck kCoarse{.step = 1e-2, .tolerance = 3e-3};

/// A function that computes in bfloat16 with float32 parameters.
inline Differentiable in_bf16(Differentiable f) {
  return [f](const Values& x) {
    Values rounded = x;
    rounded[0] = convert(x[0], kBF16);
    return convert(f(rounded), kF32);
  };
}

/// A key for random numbers.
inline Value key(uint32_t a, uint32_t b) { return constant(Tensor({2}, {a, b})); }

}  // namespace portatune::test
