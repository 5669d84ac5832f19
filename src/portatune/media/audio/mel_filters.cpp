#include "portatune/media/audio/mel_filters.h"

#include <algorithm>
#include <cmath>

namespace portatune::audio {
namespace {

// Slaney's scale is linear up to 1,000 Hz and logarithmic above.
constexpr double kLinearHertz = 1000, kLinearMel = 15, kHertzPerMel = 200.0 / 3;
const double kLogStep = std::log(6.4) / 27;

double mel_of(double hertz, MelScale scale) {
  if (scale == MelScale::kKaldi) return 1127 * std::log(1 + hertz / 700);
  return hertz < kLinearHertz ? hertz / kHertzPerMel : kLinearMel + std::log(hertz / kLinearHertz) / kLogStep;
}

double hertz_of_slaney(double mel) {
  return mel < kLinearMel ? mel * kHertzPerMel : kLinearHertz * std::exp(kLogStep * (mel - kLinearMel));
}

// `count` numbers from `first` to `last` at equal distances.
std::vector<double> spaced(double first, double last, int64_t count) {
  std::vector<double> numbers;
  const double step = (last - first) / static_cast<double>(count - 1);
  for (int64_t i = 0; i < count; ++i) numbers.push_back(first + step * static_cast<double>(i));
  return numbers;
}

// The corners of the triangles: filter i rises from corner i to i + 1 and falls to i + 2.
std::vector<double> corners_of(const MelOptions& options) {
  std::vector<double> corners = spaced(mel_of(options.min_frequency, options.scale),
                                       mel_of(options.max_frequency, options.scale), options.filters + 2);
  if (options.scale == MelScale::kSlaney) std::ranges::transform(corners, corners.begin(), hertz_of_slaney);
  return corners;
}

// The frequencies of the transform, in the unit of the corners.
std::vector<double> frequencies_of(const MelOptions& options) {
  if (options.scale == MelScale::kSlaney) {
    return spaced(0, static_cast<double>(options.sampling_rate / 2), options.bins);
  }
  const double width = static_cast<double>(options.sampling_rate) / static_cast<double>((options.bins - 1) * 2);
  std::vector<double> frequencies;
  for (int64_t bin = 0; bin < options.bins; ++bin) {
    frequencies.push_back(mel_of(width * static_cast<double>(bin), options.scale));
  }
  return frequencies;
}

}  // namespace

MelFilters::MelFilters(const MelOptions& options) {
  const std::vector<double> corners = corners_of(options), frequencies = frequencies_of(options);
  for (size_t i = 0; i + 2 < corners.size(); ++i) {
    const double left = corners[i], top = corners[i + 1], right = corners[i + 2];
    const double height = options.scale == MelScale::kSlaney ? 2 / (right - left) : 1;
    Filter filter;
    for (size_t bin = 0; bin < frequencies.size(); ++bin) {
      const double rise = (frequencies[bin] - left) / (top - left), fall = (right - frequencies[bin]) / (right - top);
      const double weight = std::min(rise, fall);
      if (weight <= 0) continue;
      if (filter.weights.empty()) filter.begin = static_cast<int64_t>(bin);
      filter.weights.push_back(weight * height);
    }
    filters_.push_back(std::move(filter));
  }
}

void MelFilters::apply(std::span<const Four> power, std::span<Four> bands) const {
  for (size_t i = 0; i < filters_.size(); ++i) {
    Four sum = {};
    const Four* at = power.data() + filters_[i].begin;
    for (const double weight : filters_[i].weights) sum += weight * *at++;
    bands[i] = sum;
  }
}

}  // namespace portatune::audio
