// Random numbers that are equal on every machine, unlike the distributions of the C++ library.
#pragma once

#include <cstdint>

namespace portatune {

/// SplitMix64: number `i`, from 0, of the stream that `seed` selects. Every number is a good seed.
/// source  Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", doi:10.1145/2660193.2660195
constexpr uint64_t split_mix_64(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

/// The number in [0, 1) of which random bits are the first 53.
constexpr double fraction(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace portatune
