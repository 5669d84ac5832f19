// The choice of --padding auto: few lengths, each of which is worth its program.
#pragma once

#include <cstdint>
#include <utility>

namespace portatune::run {

/// Each length is one more program to compile. An estimate of the positions that a model computes in that time.
inline constexpr int64_t kMinSavedPositions = 10'000;
inline constexpr int64_t kMaxAutoLengths = 4;

/// The lengths of choose(1), or those of a larger n up to kMaxAutoLengths that saves kMinSavedPositions and at least a
/// twentieth of the positions of the lengths so far.
/// choose     the best n lengths
/// positions  number of positions of all examples with these lengths, padding included
template <class Choose, class Positions>
auto few_lengths(const Choose& choose, const Positions& positions) {
  auto best = choose(1);
  for (int64_t count = 2; count <= kMaxAutoLengths; ++count) {
    auto lengths = choose(count);
    const int64_t before = positions(best);
    const int64_t saved = before - positions(lengths);
    if (saved >= kMinSavedPositions && saved * 20 >= before) best = std::move(lengths);
  }
  return best;
}

}  // namespace portatune::run
