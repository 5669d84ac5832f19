// Element types of activations in the kernels: float and Bfloat16.
#pragma once

#include <bit>
#include <cstdint>

#include "portatune/tensor.h"

namespace portatune::kernels {

/// A bfloat16 number as its bits.
struct Bfloat16 {
  uint16_t bits;
};

template <class T>
constexpr DType kDTypeOf = DType::kFloat32;
template <>
inline constexpr DType kDTypeOf<Bfloat16> = DType::kBFloat16;

// Forced inline, so that they are compiled for the instruction set of the loop that uses them.
[[gnu::always_inline]] inline float to_float(float x) { return x; }
[[gnu::always_inline]] inline float to_float(Bfloat16 x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x.bits) << 16);
}

template <class T>
T from_float(float x);
template <>
[[gnu::always_inline]] inline float from_float<float>(float x) {
  return x;
}
/// Rounds to nearest, ties to even; a NaN stays a (quiet) NaN.
template <>
[[gnu::always_inline]] inline Bfloat16 from_float<Bfloat16>(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  const uint32_t quiet_nan = (bits >> 16) | 0x40;
  return {static_cast<uint16_t>(x != x ? quiet_nan : rounded)};
}

}  // namespace portatune::kernels
