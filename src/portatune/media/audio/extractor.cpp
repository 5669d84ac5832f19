#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "portatune/error.h"
#include "portatune/media.h"
#include "portatune/media/audio/mel_spectrogram.h"

namespace portatune::audio {
namespace {

// The frames of AST have 25 ms at 16 kHz, at every sampling rate.
constexpr int64_t kAstFrame = 400, kAstHop = 160, kAstFft = 512;

MelSpectrogram ast_spectrogram(const ExtractorConfig& config) {
  return {{.window = hann_window(kAstFrame, false),
           .hop = kAstHop,
           .fft_size = kAstFft,
           .remove_mean = true,
           .preemphasis = 0.97},
          {.scale = MelScale::kKaldi,
           .filters = config.num_mel_bins,
           .bins = kAstFft / 2 + 1,
           .sampling_rate = config.sampling_rate,
           .min_frequency = 20,
           .max_frequency = static_cast<double>(config.sampling_rate / 2)}};
}

MelSpectrogram whisper_spectrogram(const ExtractorConfig& config) {
  return {{.window = hann_window(config.n_fft, true), .hop = config.hop_length, .fft_size = config.n_fft},
          {.scale = MelScale::kSlaney,
           .filters = config.feature_size,
           .bins = config.n_fft / 2 + 1,
           .sampling_rate = config.sampling_rate}};
}

std::optional<MelSpectrogram> spectrogram_of(const ExtractorConfig& config) {
  if (config.features == Features::kAst) return ast_spectrogram(config);
  if (config.features == Features::kWhisperMel) return whisper_spectrogram(config);
  return std::nullopt;
}

// The sum of term(sample) over all samples, in 16 partial sums, which the processor adds at the same time.
template <class Term>
double sum_of(std::span<const float> samples, const Term& term) {
  constexpr size_t kSums = 4;
  std::array<Four, kSums> sums = {};
  const size_t whole = samples.size() / (4 * kSums) * (4 * kSums);
  for (size_t i = 0; i < whole;) {
    for (Four& sum : sums) {
      sum += term(Four{samples[i], samples[i + 1], samples[i + 2], samples[i + 3]});
      i += 4;
    }
  }
  const Four four = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double sum = four[0] + four[1] + four[2] + four[3];
  for (size_t i = whole; i < samples.size(); ++i) sum += term(Four{samples[i]})[0];
  return sum;
}

Tensor waveform(const ExtractorConfig& config, std::span<const float> samples) {
  Tensor result({DType::kFloat32, {std::ssize(samples)}});
  const std::span<float> values = result.as<float>();
  if (!config.do_normalize) {
    std::ranges::copy(samples, values.begin());
    return result;
  }
  const auto count = static_cast<double>(samples.size());
  const double mean = sum_of(samples, [](Four sample) { return sample; }) / count;
  const double squares = sum_of(samples, [mean](Four sample) { return (sample - mean) * (sample - mean); });
  const double scale = 1 / std::sqrt(squares / count + 1e-7);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((samples[i] - mean) * scale);
  return result;
}

// Missing frames are zeros before the normalization.
Tensor ast_features(const ExtractorConfig& config, const MelSpectrogram& spectrogram, std::span<const float> samples) {
  constexpr double kFloor = std::numeric_limits<float>::epsilon();
  const int64_t frames = std::min(1 + (std::ssize(samples) - kAstFrame) / kAstHop, config.max_length);
  const auto bands = static_cast<size_t>(config.num_mel_bins);
  Tensor result({DType::kFloat32, {config.max_length, config.num_mel_bins}});
  const std::span<float> values = result.as<float>();
  spectrogram(samples, frames, [&](int64_t frame, std::span<const double> powers) {
    float* at = values.data() + static_cast<size_t>(frame) * bands;
    for (const double power : powers) *at++ = static_cast<float>(std::log(std::max(power, kFloor)));
  });
  if (!config.do_normalize) return result;
  const auto mean = static_cast<float>(config.mean), width = static_cast<float>(2 * config.deviation);
  for (float& value : values) value = (value - mean) / width;
  return result;
}

// The samples of Whisper's window with zeros behind them, and mirrored at both ends.
std::vector<float> mirrored_window(std::span<const float> samples, int64_t length, int64_t margin) {
  std::vector<float> window(static_cast<size_t>(length + 2 * margin));
  const auto centre = window.begin() + margin;
  std::copy_n(samples.begin(), std::min(std::ssize(samples), length), centre);
  for (int64_t i = 1; i <= margin; ++i) {
    centre[-i] = centre[i];
    centre[length - 1 + i] = centre[length - 1 - i];
  }
  return window;
}

// The number of frames before those of zeros alone.
int64_t sounding_frames(const ExtractorConfig& config, int64_t samples, int64_t length) {
  const int64_t margin = config.n_fft / 2, frames = length / config.hop_length;
  if (samples + margin >= length) return frames;  // the end is mirrored
  return std::min(frames, (samples + margin) / config.hop_length + 1);
}

// length  number of samples that the spectrogram shows, with zeros where the recording is shorter
Tensor whisper_features(const ExtractorConfig& config, const MelSpectrogram& spectrogram,
                        std::span<const float> samples, int64_t length) {
  constexpr double kFloor = 1e-10;
  const int64_t frames = length / config.hop_length;
  Tensor result({DType::kFloat32, {config.feature_size, frames}});
  const std::span<float> values = result.as<float>();
  std::ranges::fill(values, static_cast<float>(std::log10(kFloor)));
  const std::vector<float> window = mirrored_window(samples, length, config.n_fft / 2);
  spectrogram(window, sounding_frames(config, std::ssize(samples), length),
              [&](int64_t frame, std::span<const double> powers) {
                float* at = values.data() + frame;
                for (const double power : powers) {
                  *at = static_cast<float>(std::log(std::max(power, kFloor)) * std::numbers::log10e);
                  at += frames;
                }
              });
  const float least = std::ranges::max(values) - 8.0F;
  for (float& value : values) value = (std::max(value, least) + 4.0F) / 4.0F;
  return result;
}

}  // namespace

struct Extractor::Impl {
  ExtractorConfig config;
  std::optional<MelSpectrogram> spectrogram;
};

Extractor::Extractor(const ExtractorConfig& config)
    : impl_(std::make_unique<const Impl>(Impl{config, spectrogram_of(config)})) {}
Extractor::~Extractor() = default;

const ExtractorConfig& Extractor::config() const { return impl_->config; }

int64_t Extractor::window_samples() const { return config().chunk_length * config().sampling_rate; }

int64_t Extractor::min_samples() const { return config().features == Features::kAst ? kAstFrame : 1; }

Tensor Extractor::operator()(std::span<const float> samples, const std::string& where) const {
  if (std::ssize(samples) < min_samples()) {
    throw DataError({.where = where,
                     .given = "a recording of " + std::to_string(samples.size()) + " samples",
                     .expected = "at least " + std::to_string(min_samples()) + ", which are one frame"});
  }
  switch (config().features) {
    case Features::kAst:
      return ast_features(config(), *impl_->spectrogram, samples);
    case Features::kWhisperMel:
      return whisper_features(config(), *impl_->spectrogram, samples, window_samples());
    case Features::kWaveform:
      break;
  }
  return waveform(config(), samples);
}

Tensor Extractor::long_spectrogram(std::span<const float> samples) const {
  const bool is_long = config().features == Features::kWhisperMel && std::ssize(samples) >= window_samples();
  if (is_long) return whisper_features(config(), *impl_->spectrogram, samples, std::ssize(samples));
  throw UsageError({.where = "long_spectrogram",
                    .given = std::to_string(samples.size()) + " samples",
                    .expected = "at least window_samples(), for the extractor of Whisper"});
}

}  // namespace portatune::audio
