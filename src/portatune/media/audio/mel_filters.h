// Mel filter banks, as transformers.audio_utils.mel_filter_bank makes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "portatune/media/audio/fft.h"

namespace portatune::audio {

enum class MelScale { kSlaney, kKaldi };

struct MelOptions {
  MelScale scale = MelScale::kSlaney;
  int64_t filters = 80;
  int64_t bins = 201;  ///< number of frequencies of the transform
  int64_t sampling_rate = 16'000;
  double min_frequency = 0, max_frequency = 8'000;  ///< in Hz
};

/// Triangles over the frequencies of a transform. Those of Slaney are triangles in Hz, of equal area; those of Kaldi
/// are triangles on the mel scale, of equal height.
class MelFilters {
 public:
  explicit MelFilters(const MelOptions& options);

  int64_t size() const { return std::ssize(filters_); }
  /// Sums the power of four frames under each filter.
  /// power  of each frequency
  void apply(std::span<const Four> power, std::span<Four> bands) const;

 private:
  // Most weights of a filter are zero, so only the others are kept.
  struct Filter {
    int64_t begin = 0;  // first frequency
    std::vector<double> weights;
  };
  std::vector<Filter> filters_;
};

}  // namespace portatune::audio
