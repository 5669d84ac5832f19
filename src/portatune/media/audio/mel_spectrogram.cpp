#include "portatune/media/audio/mel_spectrogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace portatune::audio {
namespace {

constexpr int64_t kTogether = 4;  // frames that are transformed together

}  // namespace

std::vector<double> hann_window(int64_t size, bool is_periodic) {
  std::vector<double> window;
  const auto period = static_cast<double>(is_periodic ? size : size - 1);
  for (int64_t i = 0; i < size; ++i) {
    window.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / period));
  }
  return window;
}

MelSpectrogram::MelSpectrogram(FrameOptions frames, const MelOptions& mel)
    : frames_(std::move(frames)), fft_(frames_.fft_size), filters_(mel) {}

void MelSpectrogram::fill(std::span<const float> samples, std::span<const int64_t> begins, std::span<Four> x) const {
  const std::array<const float*, kTogether> from = {samples.data() + begins[0], samples.data() + begins[1],
                                                    samples.data() + begins[2], samples.data() + begins[3]};
  const size_t size = frames_.window.size();
  for (size_t i = 0; i < size; ++i) x[i] = Four{from[0][i], from[1][i], from[2][i], from[3][i]};
  if (frames_.remove_mean) {
    Four sum = {};
    for (size_t i = 0; i < size; ++i) sum += x[i];
    const Four mean = sum / static_cast<double>(size);
    for (size_t i = 0; i < size; ++i) x[i] -= mean;
  }
  if (frames_.preemphasis != 0) {
    for (size_t i = size - 1; i > 0; --i) x[i] -= frames_.preemphasis * x[i - 1];
    x[0] *= 1 - frames_.preemphasis;
  }
  for (size_t i = 0; i < size; ++i) x[i] *= frames_.window[i];
}

void MelSpectrogram::operator()(std::span<const float> samples, int64_t count,
                                const std::function<void(int64_t frame, std::span<const double> powers)>& take) const {
  std::vector<Four> x(static_cast<size_t>(fft_.size())), power(static_cast<size_t>(fft_.bins())),
      bands(static_cast<size_t>(filters_.size()));
  std::vector<FourComplex> spectrum(power.size());
  std::vector<double> powers(bands.size());
  RealFft::Scratch scratch;
  for (int64_t first = 0; first < count; first += kTogether) {
    std::array<int64_t, kTogether> begins;
    for (int64_t i = 0; i < kTogether; ++i) {
      begins[static_cast<size_t>(i)] = std::min(first + i, count - 1) * frames_.hop;
    }
    fill(samples, begins, x);
    fft_(x, spectrum, scratch);
    for (size_t k = 0; k < power.size(); ++k) {
      power[k] = spectrum[k].re * spectrum[k].re + spectrum[k].im * spectrum[k].im;
    }
    filters_.apply(power, bands);
    for (int64_t i = 0; i < std::min(kTogether, count - first); ++i) {
      for (size_t band = 0; band < bands.size(); ++band) powers[band] = bands[band][i];
      take(first + i, powers);
    }
  }
}

}  // namespace portatune::audio
