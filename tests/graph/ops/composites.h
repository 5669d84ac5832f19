// What the tests of composites share.
#pragma once

#include "graph/evaluate.h"

namespace portatune::test {

inline constexpr DType kF32 = DType::kFloat32, kBF16 = DType::kBFloat16;

inline Tensor f32(const Shape& shape, uint32_t seed = 1) { return random(TensorType{kF32, shape}, seed); }

/// Central differences in float32: coarse, but wrong formulas are far off.
inline constexpr GradientCheck kCoarse{.step = 1e-2, .tolerance = 3e-3};

/// Runs a float32 function in bfloat16 inside, so that its parameters stay float32.
inline Differentiable in_bf16(Differentiable f) {
  return [f](const Values& x) {
    Values rounded = x;
    rounded[0] = convert(x[0], kBF16);
    return convert(f(rounded), kF32);
  };
}

/// Of random numbers.
inline Value key(uint32_t a, uint32_t b) { return constant(Tensor({2}, {a, b})); }

}  // namespace portatune::test
