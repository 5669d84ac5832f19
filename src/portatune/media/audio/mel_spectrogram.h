// Mel spectrograms: the power of the mel bands in overlapping frames.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "portatune/media/audio/fft.h"
#include "portatune/media/audio/mel_filters.h"

namespace portatune::audio {

struct FrameOptions {
  std::vector<double> window;  ///< factors of the samples of a frame
  int64_t hop = 160;           ///< samples between the beginnings of frames
  int64_t fft_size = 400;      ///< size of the transform; zeros follow the frame
  bool remove_mean = false;    ///< subtract the mean of the frame first
  double preemphasis = 0;      ///< then subtract this part of the sample before
};

/// Hann's window: (1 - cos(2 pi i / n)) / 2 with n = size for a periodic one, and n = size - 1 for a symmetric one.
std::vector<double> hann_window(int64_t size, bool is_periodic);

class MelSpectrogram {
 public:
  MelSpectrogram(FrameOptions frames, const MelOptions& mel);

  int64_t frame_size() const { return std::ssize(frames_.window); }
  int64_t bands() const { return filters_.size(); }
  /// Calls take(frame, band, power) for frames 0 to count - 1. The last one ends at the last sample or before it.
  void operator()(std::span<const float> samples, int64_t count,
                  const std::function<void(int64_t frame, std::span<const double> powers)>& take) const;

 private:
  // Fills four frames, of which the last may be repeated.
  void fill(std::span<const float> samples, std::span<const int64_t> begins, std::span<Four> x) const;

  FrameOptions frames_;
  RealFft fft_;
  MelFilters filters_;
};

}  // namespace portatune::audio
