#include "portune/image/row_resizer.h"

#include <algorithm>
#include <cstring>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace portune::image {
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

// a0 b0 + a1 b1, a2 b2 + a3 b3, ...
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

// Red, green and blue in the first three bytes of four.
void store_rounded(EightInts sums, uint8_t* result) {
  FourInts rgb = __builtin_shufflevector(sums, sums, 0, 1, 2, 3) + __builtin_shufflevector(sums, sums, 4, 5, 6, 7);
  rgb = (rgb + (1 << (kWeightBits - 1))) >> kWeightBits;
  rgb = rgb < 0 ? FourInts{} : rgb;
  rgb = rgb > 255 ? FourInts{} + 255 : rgb;
  const auto bytes = reinterpret_cast<Bytes>(rgb);  // of each number, the first of four
  const Bytes packed = __builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  std::memcpy(result, &packed, 4);
}

}  // namespace

RowResizer::RowResizer(Filter filter, int64_t source_width, int64_t result_width) {
  const Taps taps = make_taps(filter, source_width, result_width);
  steps_ = (taps.count + 1 + 3) / 4;  // one more where the first pixel is the second of a pair
  weights_.resize(static_cast<size_t>(result_width * steps_), Weights{});
  row_.resize(static_cast<size_t>(source_width / 4 + steps_ + 1), FourPixels{});
  for (int64_t i = 0; i < result_width; ++i) {
    const int64_t first = taps.first[static_cast<size_t>(i)];
    first_pair_.push_back(first / 2);
    for (int64_t tap = 0; tap < taps.count; ++tap) {
      const int64_t place = first % 2 + tap;
      Weights& four = weights_[static_cast<size_t>(i * steps_ + place / 4)];
      const int32_t weight = taps.weights_of(i)[tap];
      for (int64_t colour = 0; colour < 3; ++colour) {
        const int64_t lane = place % 4 / 2 * 8 + 2 * colour + place % 2;
        four.high[lane] = static_cast<int16_t>(weight >> kLowBits);
        four.low[lane] = static_cast<int16_t>(weight & ((1 << kLowBits) - 1));
      }
    }
  }
  source_fours_ = (source_width + 3) / 4;
}

void RowResizer::operator()(const uint8_t* source, uint8_t* result) {
  for (int64_t i = 0; i < source_fours_; ++i) row_[static_cast<size_t>(i)] = load_four(source + 12 * i);
  const auto* pairs = reinterpret_cast<const int16_t*>(row_.data());
  const Weights* weights = weights_.data();
  for (const int64_t first_pair : first_pair_) {
    EightInts high = {}, low = {};
    const int16_t* pixels = pairs + 8 * first_pair;
    for (int64_t step = 0; step < steps_; ++step, pixels += 16, ++weights) {
      FourPixels four;
      std::memcpy(&four, pixels, sizeof(four));
      high += sums_of_pairs(four, weights->high);
      low += sums_of_pairs(four, weights->low);
    }
    store_rounded((high << kLowBits) + low, result);
    result += 3;
  }
}

}  // namespace portune::image
