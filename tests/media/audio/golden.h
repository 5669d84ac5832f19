// Expected samples and features from transformers: tests/data/audio, made by tests/oracle/data/make_audio_goldens.py.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include "portatune/io/safetensors/safetensors.h"
#include "portatune/media.h"

namespace portatune::audio {

inline const std::filesystem::path kGoldens = std::filesystem::path(PORTATUNE_TEST_DATA) / "audio";

inline float largest_difference(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return HUGE_VALF;
  float largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace portatune::audio
