#include "portatune/media/audio/fft.h"

#include <array>
#include <cmath>
#include <numbers>

namespace portatune::audio {
namespace {

FourComplex operator+(const FourComplex& a, const FourComplex& b) { return {a.re + b.re, a.im + b.im}; }
FourComplex operator-(const FourComplex& a, const FourComplex& b) { return {a.re - b.re, a.im - b.im}; }
FourComplex operator*(double c, const FourComplex& a) { return {c * a.re, c * a.im}; }
// a times -i.
FourComplex turned(const FourComplex& a) { return {a.im, -a.re}; }

FourComplex product(const FourComplex& a, double re, double im) {
  return {a.re * re - a.im * im, a.re * im + a.im * re};
}

const double kSin60 = std::sqrt(3.0) / 2;
const double kCos72 = (std::sqrt(5.0) - 1) / 4, kCos144 = -(std::sqrt(5.0) + 1) / 4;
const double kSin72 = std::sin(2 * std::numbers::pi / 5), kSin144 = std::sin(4 * std::numbers::pi / 5);

// Transforms of a few elements, in place.
void transform(std::array<FourComplex, 2>& x) { x = {x[0] + x[1], x[0] - x[1]}; }

void transform(std::array<FourComplex, 3>& x) {
  const FourComplex sum = x[1] + x[2], side = kSin60 * turned(x[1] - x[2]), centre = x[0] - 0.5 * sum;
  x = {x[0] + sum, centre + side, centre - side};
}

void transform(std::array<FourComplex, 4>& x) {
  const FourComplex even = x[0] + x[2], odd = x[1] + x[3], side = x[0] - x[2], turn = turned(x[1] - x[3]);
  x = {even + odd, side + turn, even - odd, side - turn};
}

void transform(std::array<FourComplex, 5>& x) {
  const FourComplex near = x[1] + x[4], far = x[2] + x[3], a = x[1] - x[4], b = x[2] - x[3];
  const FourComplex c1 = x[0] + kCos72 * near + kCos144 * far, c2 = x[0] + kCos144 * near + kCos72 * far;
  const FourComplex s1 = turned(kSin72 * a + kSin144 * b), s2 = turned(kSin144 * a - kSin72 * b);
  x = {x[0] + near + far, c1 + s1, c2 + s2, c2 - s2, c1 - s1};
}

int64_t radix_of(int64_t size) {
  for (const int64_t radix : {4, 5, 3, 2}) {
    if (size % radix == 0) return radix;
  }
  return 0;
}

// exp(-2 pi i k / n)
std::pair<double, double> unit_root(int64_t k, int64_t n) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
  return {std::cos(angle), -std::sin(angle)};
}

}  // namespace

bool RealFft::accepts(int64_t size) {
  if (size < 2 || size % 2 != 0) return false;
  while (size > 1 && radix_of(size) != 0) size /= radix_of(size);
  return size == 1;
}

// The complex signal of the even samples and i times the odd ones has half the size.
RealFft::RealFft(int64_t size) : size_(size) {
  int64_t stride = 1;
  for (int64_t left = size / 2; left > 1;) {
    Stage stage{.radix = radix_of(left), .groups = left / radix_of(left), .stride = stride, .twiddles = {}};
    for (int64_t group = 0; group < stage.groups; ++group) {
      for (int64_t j = 1; j < stage.radix; ++j) {
        const auto [re, im] = unit_root(group * j, left);
        stage.twiddles.push_back({re, im});
      }
    }
    left = stage.groups;
    stride *= stage.radix;
    stages_.push_back(std::move(stage));
  }
  for (int64_t k = 0; k < bins(); ++k) {
    const auto [re, im] = unit_root(k, size);
    halves_.push_back({re, im});
  }
}

// One pass of Stockham's algorithm, whose results are in order without a permutation.
template <int kRadix>
void RealFft::run(const Stage& stage, const FourComplex* from, FourComplex* to) {
  const int64_t span = stage.groups * stage.stride;
  for (int64_t group = 0; group < stage.groups; ++group) {
    const Factor* twiddles = stage.twiddles.data() + group * (kRadix - 1);
    const FourComplex* in = from + group * stage.stride;
    FourComplex* out = to + kRadix * group * stage.stride;
    for (int64_t i = 0; i < stage.stride; ++i) {
      std::array<FourComplex, kRadix> x;
      for (int j = 0; j < kRadix; ++j) x[j] = in[i + j * span];
      transform(x);
      out[i] = x[0];
      for (int j = 1; j < kRadix; ++j) {
        out[i + j * stage.stride] = product(x[j], twiddles[j - 1].re, twiddles[j - 1].im);
      }
    }
  }
}

void RealFft::operator()(std::span<const Four> x, std::span<FourComplex> X, Scratch& scratch) const {
  const int64_t half = size_ / 2;
  scratch.a.resize(static_cast<size_t>(half));
  scratch.b.resize(static_cast<size_t>(half));
  FourComplex *from = scratch.a.data(), *to = scratch.b.data();
  for (int64_t i = 0; i < half; ++i) {
    from[i] = {x[static_cast<size_t>(2 * i)], x[static_cast<size_t>(2 * i + 1)]};
  }
  for (const Stage& stage : stages_) {
    const auto pass = stage.radix == 2 ? run<2> : stage.radix == 3 ? run<3> : stage.radix == 4 ? run<4> : run<5>;
    pass(stage, from, to);
    std::swap(from, to);
  }
  // Z[k] = E[k] + i O[k], where E and O transform the even and the odd samples, and X[k] = E[k] + exp(...) O[k].
  for (int64_t k = 0; k <= half; ++k) {
    const FourComplex z = from[k % half], mirrored = from[(half - k) % half];
    const FourComplex conjugate = {mirrored.re, -mirrored.im};
    const FourComplex even = 0.5 * (z + conjugate), odd = 0.5 * turned(z - conjugate);
    const Factor& w = halves_[static_cast<size_t>(k)];
    X[static_cast<size_t>(k)] = even + product(odd, w.re, w.im);
  }
}

}  // namespace portatune::audio
