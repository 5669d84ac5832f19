// Random orders of any length that take no memory.
#pragma once

#include <array>
#include <cstdint>

namespace portatune::data {

/// A random permutation of 0, ..., size - 1, each element of which is computed independently.
/// source  a Feistel network, applied until the value is below `size`: Black and Rogaway 2002, "Ciphers with arbitrary
///         finite domains", doi:10.1007/3-540-45760-7_9
class Permutation {
 public:
  /// The permutation of (seed, epoch). size >= 0
  Permutation(int64_t size, uint64_t seed, int64_t epoch);

  int64_t size() const { return static_cast<int64_t>(size_); }
  /// Image of `index`, 0 <= index < size.
  int64_t operator()(int64_t index) const;

 private:
  uint64_t encrypt(uint64_t value) const;

  uint64_t size_;
  int half_bits_;
  std::array<uint64_t, 8> keys_;
};

}  // namespace portatune::data
