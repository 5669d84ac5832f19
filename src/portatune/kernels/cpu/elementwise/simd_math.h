// Elementary functions for loops that the compiler vectorises: no branches, no calls.
// The polynomials are minimax fits (Remez) on the given intervals. fma() is explicit where the order of operations
// matters, because this folder's compiler flags permit reordering of sums.
#pragma once

#include <bit>
#include <cstdint>

#include "portatune/kernels/cpu/elementwise/simd.h"

namespace portatune::kernels {

/// e^x for x <= 0 (or above 0 by rounding errors only), with a relative error below 1.5e-7; exactly 0 below -87, where
/// a float would lose digits.
PORTATUNE_INLINE float exp_nonpositive(float x) {
  constexpr float kLowest = -87.0F;
  constexpr float kLog2E = 1.44269504F;
  constexpr float kLn2High = 0.693145752F, kLn2Low = 1.42860677e-6F;  // their sum is ln 2; n * kLn2High is exact
  const float clamped = x < kLowest ? kLowest : x;                    // this order keeps a NaN
  const float n = __builtin_rintf(clamped * kLog2E);
  const float r = __builtin_fmaf(-n, kLn2Low, __builtin_fmaf(-n, kLn2High, clamped));  // in [-ln 2 / 2, ln 2 / 2]
  float e = 0.00138368360F;                                                            // e^r to 1.9e-9
  e = __builtin_fmaf(e, r, 0.00837482409F);
  e = __builtin_fmaf(e, r, 0.0416682262F);
  e = __builtin_fmaf(e, r, 0.166664201F);
  e = __builtin_fmaf(e, r, 0.499999921F);
  e = __builtin_fmaf(e, r, 1.00000004F);
  e = __builtin_fmaf(e, r, 1.0F);
  const int32_t power = (static_cast<int32_t>(n) + 127) << 23;  // the bits of 2^n
  return e * std::bit_cast<float>(x < kLowest ? 0 : power);
}

/// The standard normal distribution at x.
struct Normal {
  float cumulative;   ///< Phi(x), with an absolute error below 2e-7
  float exponential;  ///< e^(-x^2 / 2)
};

PORTATUNE_INLINE Normal normal_distribution(float x) {
  const float magnitude = __builtin_fabsf(x);
  const float exponential = exp_nonpositive(-0.5F * x * x);
  // Mills' ratio as a polynomial in 1 / (1 + 0.28 |x|): the form of Abramowitz and Stegun 26.2.17.
  const float t = 1.0F / __builtin_fmaf(0.28F, magnitude, 1.0F);
  float tail = -0.105808694F;
  tail = __builtin_fmaf(tail, t, 0.389875835F);
  tail = __builtin_fmaf(tail, t, -0.236996397F);
  tail = __builtin_fmaf(tail, t, 0.268912491F);
  tail = __builtin_fmaf(tail, t, 0.0674958321F);
  tail = __builtin_fmaf(tail, t, 0.116520924F);
  tail = tail * t * exponential;  // Phi(-|x|) to 1e-8
  return {x < 0 ? tail : 1.0F - tail, exponential};
}

/// 1 / (1 + e^-x) and 1 / (1 + e^x), each without cancellation.
struct Logistic {
  float value, complement;
};

PORTATUNE_INLINE Logistic logistic(float x) {
  const float e = exp_nonpositive(-__builtin_fabsf(x));
  const float large = 1.0F / (1.0F + e), small = e * large;
  return x < 0 ? Logistic{small, large} : Logistic{large, small};
}

/// tanh(x) with a relative error below 3e-7.
PORTATUNE_INLINE float tanh(float x) {
  const float square = x * x;
  float q = -0.00570493512F;  // (tanh(x) - x) / x^3 for |x| <= 0.625, where the quotient below cancels
  q = __builtin_fmaf(q, square, 0.0206390426F);
  q = __builtin_fmaf(q, square, -0.053739702F);
  q = __builtin_fmaf(q, square, 0.13331442F);
  q = __builtin_fmaf(q, square, -0.333332819F);
  const float small = __builtin_fmaf(x * square, q, x);
  const float magnitude = __builtin_fabsf(x), e = exp_nonpositive(-2.0F * magnitude);
  const float large = (1.0F - e) / (1.0F + e);
  return magnitude <= 0.625F ? small : __builtin_copysignf(large, x);
}

/// bound tanh(x / bound): x where it is small, and never beyond the bound.
PORTATUNE_INLINE float capped(float x, float bound) { return bound * tanh(x / bound); }

}  // namespace portatune::kernels
