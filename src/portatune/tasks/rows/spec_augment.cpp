#include "portatune/tasks/rows/spec_augment.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "portatune/base/random.h"

namespace portatune::tasks {
namespace {

// The expected number is rounded up or down at random.
int64_t span_count(const models::MaskedSpans& spans, int64_t size, int64_t length, double draw) {
  const double expected = spans.prob * static_cast<double>(length) / static_cast<double>(spans.length);
  const int64_t wanted = std::max(static_cast<int64_t>(expected + draw), spans.min_masks);
  const int64_t places = std::max<int64_t>(length - spans.length + 1, 0);
  return std::min({wanted, size / spans.length, places});
}

}  // namespace

Tensor masked_spans(const models::MaskedSpans& spans, int64_t size, int64_t length, uint64_t key) {
  Tensor mask({DType::kInt32, {size}});
  const std::span<int32_t> masked = mask.as<int32_t>();
  const int64_t count = span_count(spans, size, length, fraction(split_mix_64(key, 0)));
  std::vector<int64_t> places(static_cast<size_t>(std::max<int64_t>(length - spans.length + 1, 0)));
  std::iota(places.begin(), places.end(), 0);
  for (int64_t i = 0; i < count; ++i) {
    const auto left = static_cast<uint64_t>(std::ssize(places) - i);
    const uint64_t drawn = split_mix_64(key, static_cast<uint64_t>(i) + 1) % left;
    std::swap(places[static_cast<size_t>(i)], places[static_cast<size_t>(i) + drawn]);
    std::fill_n(masked.begin() + places[static_cast<size_t>(i)], spans.length, 1);
  }
  return mask;
}

Tensor sampled_negatives(std::span<const int32_t> mask, int64_t count, uint64_t key) {
  std::vector<int32_t> masked;
  for (size_t frame = 0; frame < mask.size(); ++frame) {
    if (mask[frame] != 0) masked.push_back(static_cast<int32_t>(frame));
  }
  Tensor negatives({DType::kInt32, {std::ssize(mask), count}});
  const std::span<int32_t> frames = negatives.as<int32_t>();
  const auto row = static_cast<size_t>(count);
  for (size_t own = 0; own < masked.size(); ++own) {
    for (size_t i = 0; i < row; ++i) {
      const size_t drawn = split_mix_64(key, own * row + i) % (masked.size() - 1);
      frames[static_cast<size_t>(masked[own]) * row + i] = masked[drawn < own ? drawn : drawn + 1];
    }
  }
  return negatives;
}

}  // namespace portatune::tasks
