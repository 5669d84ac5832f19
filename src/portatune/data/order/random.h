// Random numbers for shuffling, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace portatune::data {

/// The numbers of a SplitMix64 stream in order.
class Random {
 public:
  explicit Random(uint64_t seed) : seed_(seed) {}
  /// The stream of (seed, epoch): unrelated for different epochs.
  Random(uint64_t seed, int64_t epoch);

  /// Moves to number `drawn` of the stream, counted from 0.
  void go_to(uint64_t drawn) { drawn_ = drawn; }
  uint64_t drawn() const { return drawn_; }

  uint64_t next();
  /// A random number in 0, ..., bound - 1, all equally likely. bound > 0.
  uint64_t below(uint64_t bound);

 private:
  uint64_t seed_, drawn_ = 0;
};

/// Shuffles the items; every order is equally likely.
/// source  Fisher and Yates, in Knuth's form
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace portatune::data
