#include "portatune/media/audio/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace portatune::audio {
namespace {

// The definition, with exact multiples of the angle.
FourComplex dft(std::span<const Four> x, int64_t k) {
  const auto size = std::ssize(x);
  FourComplex sum = {};
  for (int64_t n = 0; n < size; ++n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k * n % size) / static_cast<double>(size);
    sum.re += std::cos(angle) * x[static_cast<size_t>(n)];
    sum.im -= std::sin(angle) * x[static_cast<size_t>(n)];
  }
  return sum;
}

TEST(RealFft, EqualsTheSum) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  RealFft::Scratch scratch;  // one for all sizes
  for (const int64_t size :
       {2, 4, 6, 8, 10, 12, 16, 18, 20, 30, 50, 64, 90, 240, 360, 400, 480, 500, 512, 1024, 1350}) {
    SCOPED_TRACE(size);
    std::vector<Four> x(static_cast<size_t>(size));
    for (Four& values : x) values = Four{normal(random), normal(random), normal(random), normal(random)};
    const RealFft fft(size);
    std::vector<FourComplex> spectrum(static_cast<size_t>(fft.bins()));
    fft(x, spectrum, scratch);
    const double tolerance = 2e-15 * static_cast<double>(size);
    for (int64_t k = 0; k < fft.bins(); ++k) {
      const FourComplex expected = dft(x, k), &found = spectrum[static_cast<size_t>(k)];
      for (int lane = 0; lane < 4; ++lane) {
        EXPECT_NEAR(found.re[lane], expected.re[lane], tolerance) << k;
        EXPECT_NEAR(found.im[lane], expected.im[lane], tolerance) << k;
      }
    }
  }
}

TEST(RealFft, AcceptsEvenProductsOfTwoThreeAndFive) {
  for (const int64_t size : {2, 400, 512, 960, 1000}) EXPECT_TRUE(RealFft::accepts(size)) << size;
  for (const int64_t size : {-2, 0, 1, 5, 14, 405, 418}) EXPECT_FALSE(RealFft::accepts(size)) << size;
}

}  // namespace
}  // namespace portatune::audio
