#include "portatune/media/image/row_resizer.h"

#include <algorithm>
#include <cstring>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace portatune::image {
namespace {

using Bytes = uint8_t __attribute__((vector_size(16)));
using FourInts = int32_t __attribute__((vector_size(16)));
using EightInts = int32_t __attribute__((vector_size(32)));

constexpr int kLowBits = 15;

FourPixels load_four(const uint8_t* rgb) {
  Bytes bytes;
  std::memcpy(&bytes, rgb, sizeof(bytes));
  const Bytes zero = {};
  return __builtin_convertvector(
      __builtin_shufflevector(bytes, zero, 0, 3, 1, 4, 2, 5, 16, 16, 6, 9, 7, 10, 8, 11, 16, 16), FourPixels);
}

// Adds neighbouring products: a0 b0 + a1 b1, a2 b2 + a3 b3, ...
EightInts sums_of_pairs(FourPixels a, FourPixels b) {
#if defined(__AVX2__)
  return reinterpret_cast<EightInts>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  using SixteenInts = int32_t __attribute__((vector_size(64)));
  const SixteenInts products = __builtin_convertvector(a, SixteenInts) * __builtin_convertvector(b, SixteenInts);
  return __builtin_shufflevector(products, products, 0, 2, 4, 6, 8, 10, 12, 14) +
         __builtin_shufflevector(products, products, 1, 3, 5, 7, 9, 11, 13, 15);
#endif
}

// Stores two pixels of three bytes, and one byte more. Each argument holds two parts of red, green, blue and nothing;
// the function adds and rounds them.
void store_rounded(EightInts first, EightInts second, uint8_t* result) {
  using TwoPixels = uint8_t __attribute__((vector_size(32)));
  EightInts sums = __builtin_shufflevector(first, second, 0, 1, 2, 3, 8, 9, 10, 11) +
                   __builtin_shufflevector(first, second, 4, 5, 6, 7, 12, 13, 14, 15);
  sums = (sums + (1 << (kWeightBits - 1))) >> kWeightBits;
  sums = sums < 0 ? EightInts{} : sums;
  sums = sums > 255 ? EightInts{} + 255 : sums;
  const auto bytes = reinterpret_cast<TwoPixels>(sums);  // the first of the four bytes of each number counts
  const TwoPixels packed = __builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                                   16, 20, 24, 28, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  std::memcpy(result, &packed, 4);
  std::memcpy(result + 3, reinterpret_cast<const uint8_t*>(&packed) + 16, 4);
}

}  // namespace

RowResizer::RowResizer(Filter filter, int64_t source_width, int64_t result_width) {
  const Taps taps = make_taps(filter, source_width, result_width);
  steps_ = (taps.count + 1 + 3) / 4;  // one more if the first pixel is the second of a pair
  weights_.resize(static_cast<size_t>(result_width * steps_), Weights{});
  row_.resize(static_cast<size_t>(source_width / 4 + steps_ + 1), FourPixels{});
  for (int64_t i = 0; i < result_width; ++i) {
    const int64_t first = taps.first[static_cast<size_t>(i)];
    first_pair_.push_back(first / 2);
    for (int64_t tap = 0; tap < taps.count; ++tap) {
      const int64_t slot = first % 2 + tap;
      Weights& four = weights_[static_cast<size_t>(i * steps_ + slot / 4)];
      const int32_t weight = taps.weights_of(i)[tap];
      for (int64_t colour = 0; colour < 3; ++colour) {
        const int64_t lane = slot % 4 / 2 * 8 + 2 * colour + slot % 2;
        four.high[lane] = static_cast<int16_t>(weight >> kLowBits);
        four.low[lane] = static_cast<int16_t>(weight & ((1 << kLowBits) - 1));
      }
    }
  }
  source_fours_ = (source_width + 3) / 4;
}

void RowResizer::operator()(const uint8_t* source, uint8_t* result) {
  for (int64_t i = 0; i < source_fours_; ++i) row_[static_cast<size_t>(i)] = load_four(source + 12 * i);
  const auto* row = reinterpret_cast<const int16_t*>(row_.data());
  const int64_t steps = steps_, pixels = std::ssize(first_pair_);
  const auto sums_of = [&](int64_t pixel) {
    const int16_t* pairs = row + 8 * first_pair_[static_cast<size_t>(pixel)];
    const Weights* weights = &weights_[static_cast<size_t>(pixel * steps)];
    EightInts high = {}, low = {};
    for (int64_t step = 0; step < steps; ++step) {
      FourPixels four;
      std::memcpy(&four, pairs + 16 * step, sizeof(four));
      high += sums_of_pairs(four, weights[step].high);
      low += sums_of_pairs(four, weights[step].low);
    }
    return (high << kLowBits) + low;
  };
  for (int64_t i = 0; i < pixels; i += 2)
    store_rounded(sums_of(i), sums_of(std::min(i + 1, pixels - 1)), result + 3 * i);
}

}  // namespace portatune::image
