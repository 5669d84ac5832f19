// Discrete Fourier transforms of real signals in double precision.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace portatune::audio {

/// The same element of four signals, which are transformed together.
using Four = double __attribute__((vector_size(32)));

struct FourComplex {
  Four re, im;
};

/// Transforms of one size. Thread-safe.
class RealFft {
 public:
  /// size    number of samples: see accepts()
  explicit RealFft(int64_t size);

  /// Returns whether a size is even and has no other prime factors than 2, 3 and 5.
  static bool accepts(int64_t size);

  int64_t size() const { return size_; }
  /// The number of frequencies, size / 2 + 1.
  int64_t bins() const { return size_ / 2 + 1; }

  /// Scratch memory of a thread.
  struct Scratch {
    std::vector<FourComplex> a, b;
  };
  /// Computes X[k] = sum_n x[n] exp(-2 pi i k n / size).
  /// x  `size` samples
  /// X  `bins` frequencies
  void operator()(std::span<const Four> x, std::span<FourComplex> X, Scratch& scratch) const;

 private:
  struct Factor {
    double re, im;
  };
  // A pass over the data: transforms of `radix` elements, each multiplied by its twiddle factors.
  struct Stage {
    int64_t radix, groups, stride;
    std::vector<Factor> twiddles;  // [group][1 .. radix - 1]
  };
  template <int kRadix>
  static void run(const Stage& stage, const FourComplex* from, FourComplex* to);

  int64_t size_;
  std::vector<Stage> stages_;
  std::vector<Factor> halves_;  // exp(-2 pi i k / size)
};

}  // namespace portatune::audio
