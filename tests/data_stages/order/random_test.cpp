#include "portatune/data/order/random.h"

#include <gtest/gtest.h>

#include <array>

namespace portatune::data {

TEST(Random, IsSplitMix64) {
  // The first outputs of the authors' C code for seed 1234567.
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
  EXPECT_EQ(random.next(), 9817491932198370423u);
  EXPECT_EQ(random.next(), 4593380528125082431u);
  EXPECT_EQ(random.next(), 16408922859458223821u);
}

TEST(Random, BelowIsUniform) {
  Random random(7);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60'000; ++i) ++counts[random.below(6)];
  // Standard deviation of each count: sqrt(60000 * 1/6 * 5/6) = 91.
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 5 * 91);
}

TEST(Random, BelowIsUniformForALargeBound) {
  // Plain `next() % bound` would give values under 2^62 twice as often as the others.
  Random random(3);
  const uint64_t bound = uint64_t{3} << 62;
  int small = 0;
  for (int i = 0; i < 30'000; ++i) small += random.below(bound) < (uint64_t{1} << 62);
  EXPECT_NEAR(small, 10'000, 5 * 82);  // standard deviation sqrt(30000 * 1/3 * 2/3) = 82
}

TEST(Random, SeedAndEpochAreNotInterchangeable) {
  EXPECT_NE(Random(0, 1).next(), Random(1, 0).next());
  EXPECT_NE(Random(5, 1).next(), Random(6, 0).next());
  EXPECT_EQ(Random(5, 1).next(), Random(5, 1).next());
}

}  // namespace portatune::data
