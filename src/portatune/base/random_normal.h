// Normal random numbers for the weights of a model, equal on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

#include "portatune/base/random.h"

namespace portatune {

/// The key of the random numbers of a parameter.
constexpr uint64_t key_of(std::string_view name, uint64_t seed) {
  uint64_t key = seed;
  for (const char c : name) key = split_mix_64(key ^ static_cast<unsigned char>(c), 0);
  return key;
}

/// Number `i`, from 0, of the normal numbers of a key, from two uniform ones. source: Box and Muller 1958
inline double normal(uint64_t key, uint64_t i) {
  const double u = static_cast<double>((split_mix_64(key, 2 * i) >> 11) + 1) * 0x1p-53;  // in (0, 1]
  const double v = fraction(split_mix_64(key, 2 * i + 1));
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

}  // namespace portatune
