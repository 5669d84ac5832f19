// Expected counts from scikit-learn 1.9.1, by tests/oracle/data/make_split_golden.py.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/table_file.h"
#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using Counts = std::map<std::string, int>;

std::vector<std::string> letters(const std::string& text) {
  std::vector<std::string> labels;
  for (const char letter : text) labels.emplace_back(1, letter);
  return labels;
}

Counts counts_held(const std::string& text, double share, uint64_t seed) {
  const std::vector<std::string> labels = letters(text);
  const std::vector<bool> held = stratified_hold_out(labels, share, seed);
  Counts counts;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (held[i]) ++counts[labels[i]];
  }
  return counts;
}

TEST(HoldOut, RoundsTheShareUp) {
  const auto count = [](int64_t examples, double share) {
    return std::ranges::count(hold_out(examples, share, 3), true);
  };
  EXPECT_EQ(count(10, 0.1), 1);
  EXPECT_EQ(count(11, 0.1), 2);
  EXPECT_EQ(count(7, 0.5), 4);
  EXPECT_EQ(count(3, 0.4), 2);
}

TEST(HoldOut, IsUniformAndDependsOnTheSeed) {
  EXPECT_EQ(hold_out(20, 0.3, 1), hold_out(20, 0.3, 1));
  std::vector<int> counts(10);
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    const std::vector<bool> held = hold_out(10, 0.25, seed);
    for (size_t i = 0; i < 10; ++i) counts[i] += held[i];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1200, 5 * 29);  // 5 standard deviations
}

TEST(StratifiedHoldOut, HasSklearnsProportions) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_EQ(counts_held("aaaaaaabbbbcc", 0.25, seed), (Counts{{"a", 2}, {"b", 1}, {"c", 1}}));
    EXPECT_EQ(counts_held("aaaaaaabbbbcc", 0.3, seed), (Counts{{"a", 2}, {"b", 1}, {"c", 1}}));
    EXPECT_EQ(counts_held("bcabcaaaabbcabaaca", 0.25, seed), (Counts{{"a", 3}, {"b", 1}, {"c", 1}}));
    EXPECT_EQ(counts_held("bcabcaaaabbcabaaca", 0.3, seed), (Counts{{"a", 3}, {"b", 2}, {"c", 1}}));
    const std::string four = "zzzyyyyyyyyyyyyyyyyxxxxxxxxxwwwwwww";
    EXPECT_EQ(counts_held(four, 0.25, seed), (Counts{{"w", 2}, {"x", 2}, {"y", 4}, {"z", 1}}));
    EXPECT_EQ(counts_held(four, 0.3, seed), (Counts{{"w", 2}, {"x", 3}, {"y", 5}, {"z", 1}}));
    EXPECT_EQ(counts_held("abababababababababababab", 0.25, seed), (Counts{{"a", 3}, {"b", 3}}));
    EXPECT_EQ(counts_held("abababababababababababab", 0.3, seed), (Counts{{"a", 4}, {"b", 4}}));
  }
  EXPECT_NE(stratified_hold_out(letters("aaaaaaaabbbbbbbb"), 0.5, 1),
            stratified_hold_out(letters("aaaaaaaabbbbbbbb"), 0.5, 2));
}

TEST(GroupHoldOut, KeepsGroupsTogether) {
  const std::vector<std::string> groups = letters("aabbbccdddde");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<bool> held = group_hold_out(groups, 0.3, seed);
    std::map<std::string, std::set<bool>> sides;
    for (size_t i = 0; i < groups.size(); ++i) sides[groups[i]].insert(held[i]);
    int held_groups = 0;
    for (const auto& [group, side] : sides) {
      EXPECT_EQ(side.size(), 1u) << group;
      held_groups += *side.begin();
    }
    EXPECT_EQ(held_groups, 2);
  }
}

TEST(HoldOut, RejectsImpossibleShares) {
  expect_error<UsageError>([] { hold_out(10, 1.5, 0); }, {"1.5", "between 0 and 1"});
  EXPECT_THROW(hold_out(10, 0, 0), UsageError);
  EXPECT_THROW(hold_out(10, NAN, 0), UsageError);
  expect_error<UsageError>([] { hold_out(1, 0.5, 0); }, {"of 1 examples", "each side"});
  expect_error<UsageError>([] { stratified_hold_out(letters("aaaab"), 0.4, 0); }, {"one example of class 'b'"});
  expect_error<UsageError>([] { stratified_hold_out(letters("aabbcc"), 0.2, 0); }, {"2 examples", "3, the number"});
  EXPECT_THROW(group_hold_out(letters("aaa"), 0.5, 0), UsageError);
}

}  // namespace
}  // namespace portatune::data
