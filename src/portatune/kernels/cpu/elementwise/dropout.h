// Dropout whose mask is a function of a key and the element's index.
#pragma once

#include <cstdint>

#include "portatune/kernels/cpu/elementwise/element.h"
#include "portatune/kernels/cpu/elementwise/simd.h"
#include "portatune/kernels/cpu/workers.h"

namespace portatune::kernels {

/// The rule by which elements are dropped.
struct DropoutMask {
  uint32_t key0 = 0, key1 = 0;
  uint32_t threshold = 0;  ///< elements whose bits are below it are dropped
  float scale = 1;         ///< factor of the others: 1 / (1 - rate)

  /// A mask that drops nothing.
  DropoutMask() = default;
  /// key   two words
  /// rule  two numbers: 2^32 times the rate, an integer below 2^32, and the scale
  DropoutMask(const uint32_t* key, const float* rule)
      : key0(key[0]), key1(key[1]), threshold(static_cast<uint32_t>(rule[0])), scale(rule[1]) {}
};

/// 32 pseudo-random bits, identical to those of the graph's dropout on every platform.
PORTATUNE_INLINE uint32_t dropout_bits(uint32_t key0, uint32_t key1, uint32_t index) {
  uint32_t h = index * 0x9E3779B9U + key0;
  h ^= h >> 16;
  h *= 0x21F0AAADU;
  h ^= h >> 15;
  h += key1;
  h *= 0xD35A2D97U;
  return h ^ (h >> 15);
}

/// The factor of element `index`: 0 or the mask's scale.
PORTATUNE_INLINE float dropout_factor(const DropoutMask& mask, uint32_t index) {
  return dropout_bits(mask.key0, mask.key1, index) >= mask.threshold ? mask.scale : 0.0F;
}

/// y[i] = x[i] times the mask's factor of i, in float32; 0 for dropped elements, even if x[i] is not finite. The same
/// function of dy is the gradient. T is float or Bfloat16; an index is taken modulo 2^32.
template <class T>
void dropout(const Workers& workers, const DropoutMask& mask, int64_t size, const T* x, T* y);

}  // namespace portatune::kernels
