// Samples of recordings for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace portatune::audio {

/// A tone of this frequency, in Hz.
inline std::vector<int16_t> tone(double frequency, size_t samples, uint32_t rate = 16'000) {
  std::vector<int16_t> tone;
  for (size_t i = 0; i < samples; ++i) {
    const double angle = 2 * std::numbers::pi * frequency * static_cast<double>(i) / rate;
    tone.push_back(static_cast<int16_t>(8000 * std::sin(angle)));
  }
  return tone;
}

}  // namespace portatune::audio
