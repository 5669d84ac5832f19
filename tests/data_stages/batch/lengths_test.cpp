#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "io/table_file.h"
#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;

// The minimal number of positions over all sets of at most `count` lengths.
int64_t fewest_positions(const LengthCounts& examples, int64_t count) {
  std::vector<int64_t> lengths;
  for (const auto& [length, number] : examples) lengths.push_back(length);
  int64_t fewest = std::numeric_limits<int64_t>::max();
  for (uint32_t chosen = 0; chosen < uint32_t{1} << lengths.size(); ++chosen) {
    std::vector<int64_t> set;
    for (size_t i = 0; i < lengths.size(); ++i) {
      if ((chosen >> i & 1) != 0) set.push_back(lengths[i]);
    }
    if (std::ssize(set) > count || set.empty() || set.back() != lengths.back()) continue;
    int64_t positions = 0;
    for (const auto& [length, number] : examples) {
      size_t i = 0;
      while (set[i] < length) ++i;
      positions += set[i] * number;
    }
    fewest = std::min(fewest, positions);
  }
  return fewest;
}

}  // namespace

TEST(Lengths, PaddedPositionsCountPadding) {
  EXPECT_EQ(padded_positions({{2, 10}, {5, 1}}, std::vector<int64_t>{5}), 55);
  EXPECT_EQ(padded_positions({{2, 10}, {5, 1}}, std::vector<int64_t>{3, 8}), 38);
  expect_error<UsageError>([] { padded_positions({{9, 1}}, std::vector<int64_t>{3, 8}); }, {"example of length 9"});
}

TEST(Lengths, OneLengthHoldsTheLongestExample) { EXPECT_THAT(choose_lengths({{2, 10}, {5, 1}}, 1), ElementsAre(5)); }

TEST(Lengths, DividesWhereItSavesMost) {
  // 100 x 10 + 1 x 50 positions, against 101 x 50 without and 1 x 9 + 100 x 50 with the other division.
  EXPECT_THAT(choose_lengths({{9, 1}, {10, 99}, {50, 1}}, 2), ElementsAre(10, 50));
}

TEST(Lengths, HasNoMoreLengthsThanTheExamples) { EXPECT_THAT(choose_lengths({{3, 1}, {7, 1}}, 10), ElementsAre(3, 7)); }

TEST(Lengths, EqualsBruteForce) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    LengthCounts examples;
    const int different = 1 + static_cast<int>(random() % 9);
    for (int i = 0; i < different; ++i) examples[1 + random() % 30] += 1 + random() % 20;
    for (int64_t count = 1; count <= 5; ++count) {
      const std::vector<int64_t> lengths = choose_lengths(examples, count);
      EXPECT_LE(std::ssize(lengths), count);
      EXPECT_TRUE(std::ranges::is_sorted(lengths));
      EXPECT_EQ(padded_positions(examples, lengths), fewest_positions(examples, count)) << round << " " << count;
    }
  }
}

TEST(Lengths, RejectsInvalidArguments) {
  expect_error<UsageError>([] { choose_lengths({{3, 1}}, 0); }, {"count = 0"});
  expect_error<UsageError>([] { choose_lengths({}, 2); }, {"the number of lengths = 0"});
}

}  // namespace portatune::data
