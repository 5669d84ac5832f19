#include "portatune/base/random.h"

#include <gtest/gtest.h>

namespace portatune {

TEST(SplitMix64, EqualsTheReferenceImplementation) {
  // The reference values are the first outputs of the authors' C code for seed 1234567.
  EXPECT_EQ(split_mix_64(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(split_mix_64(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(split_mix_64(1234567, 4), 16408922859458223821u);
}

}  // namespace portatune
