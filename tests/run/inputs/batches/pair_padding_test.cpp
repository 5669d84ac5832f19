#include "portatune/run/inputs/batches/pair_padding.h"

#include <gmock/gmock.h>

#include "portatune/run/inputs/batches/padding.h"

namespace portatune::run {
namespace {

using data::LengthPair;
using testing::ElementsAre;

const data::PairCounts kPairExamples = {{{5, 2}, 10}, {{20, 4}, 8}, {{21, 9}, 1}, {{40, 3}, 1}};

std::vector<LengthPair> pairs(const std::string& policy) {
  return pairs_of(*padding_called(policy), {128, 32}, kPairExamples, longest_pair_of(kPairExamples));
}

TEST(PairPadding, HoldsTheLongestOfBothTexts) {
  EXPECT_EQ(longest_pair_of(kPairExamples), (LengthPair{40, 9}));
  EXPECT_THAT(pairs("max_length"), ElementsAre(LengthPair{128, 32}));
  EXPECT_THAT(pairs("auto"), ElementsAre(LengthPair{40, 9}));
  EXPECT_THAT(pairs("auto=1"), ElementsAre(LengthPair{40, 9}));
}

TEST(PairPadding, AutoMinimisesTheCost) {
  // 18 x (20 + 2 x 4) + 2 x (40 + 2 x 9); 10 x (5 + 2 x 2) + 10 x (40 + 2 x 9) is more.
  EXPECT_THAT(pairs("auto=2"), ElementsAre(LengthPair{20, 4}, LengthPair{40, 9}));
  EXPECT_THAT(pairs("auto=3"), ElementsAre(LengthPair{5, 2}, LengthPair{20, 4}, LengthPair{40, 9}));
}

TEST(PairPadding, GivenSourceLengthsHaveTheTargetsOfTheirExamples) {
  EXPECT_THAT(pairs("buckets=10,30"), ElementsAre(LengthPair{10, 2}, LengthPair{30, 9}, LengthPair{128, 9}));
  EXPECT_THAT(pairs("multiple_of=16"), ElementsAre(LengthPair{16, 16}, LengthPair{32, 16}, LengthPair{48, 16}));
}

TEST(PairPadding, DescribesTheShareOfPadding) {
  const std::vector<std::string> lines =
      describe_pairs(kPairExamples, {{20, 4}, {40, 9}}, {128, 32}, "tokens (source+target)");
  // 10 x 7 + 8 x 24 + 30 + 43 tokens in 18 x 24 + 2 x 49 positions, and in 20 x 160.
  EXPECT_EQ(lines.at(0), "batches of 20+4, 40+9 tokens (source+target): 36.8 % padding; all of 128+32: 89.5 %");
  EXPECT_EQ(lines.at(1), "         20+4           18 examples  90.0 %");
  EXPECT_EQ(lines.at(2), "         40+9            2 examples  10.0 %");
}

}  // namespace
}  // namespace portatune::run
