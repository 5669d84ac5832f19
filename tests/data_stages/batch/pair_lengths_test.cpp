#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "io/table_file.h"
#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {

void PrintTo(const LengthPair& pair, std::ostream* out) { *out << pair.source << "+" << pair.target; }

namespace {

using testing::ElementsAre;
using Pairs = std::vector<LengthPair>;

// The lowest cost over all chains of at most `count` pairs of the grid, each of which holds the one before.
int64_t lowest_cost(const PairCounts& examples, const Pairs& grid, int64_t count) {
  int64_t lowest = std::numeric_limits<int64_t>::max();
  for (uint32_t chosen = 0; chosen < uint32_t{1} << grid.size(); ++chosen) {
    Pairs chain;
    for (size_t i = 0; i < grid.size(); ++i) {
      if ((chosen >> i & 1) != 0) chain.push_back(grid[i]);
    }
    const auto descends = [](const LengthPair& a, const LengthPair& b) { return b.target < a.target; };
    if (std::ssize(chain) > count || chain.empty() || chain.back() != grid.back()) continue;
    if (std::ranges::adjacent_find(chain, descends) != chain.end()) continue;
    lowest = std::min(lowest, padded_cost(examples, chain));
  }
  return lowest;
}

TEST(PairLengths, CostCountsTargetsTwice) {
  const PairCounts examples = {{{2, 3}, 10}, {{5, 1}, 1}};
  EXPECT_EQ(padded_cost(examples, Pairs{{5, 3}}), 11 * (5 + 2 * 3));
  EXPECT_EQ(padded_cost(examples, Pairs{{2, 3}, {5, 3}}), 10 * (2 + 2 * 3) + 5 + 2 * 3);
  expect_error<UsageError>([&] { padded_cost(examples, Pairs{{5, 2}}); }, {"lengths 2 and 3"});
}

TEST(PairLengths, OnePairHoldsTheLongestSourceAndTheLongestTarget) {
  EXPECT_THAT(choose_pairs({{{2, 9}, 10}, {{5, 1}, 1}}, 1), ElementsAre(LengthPair{5, 9}));
}

TEST(PairLengths, ALongTargetOfAShortSourceDoesNotLengthenShortTargets) {
  // The example 4+20 shares the long pair, so that a hundred short ones keep theirs.
  EXPECT_THAT(choose_pairs({{{4, 4}, 100}, {{4, 20}, 1}, {{40, 20}, 10}}, 2),
              ElementsAre(LengthPair{4, 4}, LengthPair{40, 20}));
}

TEST(PairLengths, AreTheBestOfAllChains) {
  std::mt19937 random(7);
  const auto draw = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (int trial = 0; trial < 30; ++trial) {
    const std::vector<int64_t> sources = {2, 5, 9 + draw(9)}, targets = {1, 4 + draw(4), 12};
    Pairs grid;
    PairCounts examples;
    for (const int64_t source : sources) {
      for (const int64_t target : targets) {
        grid.push_back({source, target});
        examples[{source, target}] = 1 + draw(50);
      }
    }
    for (int64_t count = 1; count <= 4; ++count) {
      EXPECT_EQ(padded_cost(examples, choose_pairs(examples, count)), lowest_cost(examples, grid, count));
    }
  }
}

TEST(PairLengths, AreAFewOfManyLengths) {
  PairCounts examples;
  for (int64_t i = 1; i <= 500; ++i) examples[{i, 1 + i % 97}] = 1;
  const Pairs pairs = choose_pairs(examples, 4);
  EXPECT_EQ(pairs.size(), 4u);
  EXPECT_EQ(pairs.back(), (LengthPair{500, 97}));
}

TEST(PairLengths, NeedExamples) {
  expect_error<UsageError>([] { choose_pairs({}, 1); }, {"choose_pairs"});
  expect_error<UsageError>([] { choose_pairs({{{1, 1}, 1}}, 0); }, {"choose_pairs"});
}

}  // namespace
}  // namespace portatune::data
