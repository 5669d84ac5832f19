#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "data_stages/numbers.h"
#include "portatune/data.h"
#include "portatune/error.h"

namespace portatune::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Select, KeepsTheSelectedExamples) {
  const Dataset odd = numbers(6).select({false, true, false, true, false, true});
  EXPECT_THAT(collect(odd), ElementsAre(1, 3, 5));
  EXPECT_THAT(collect(odd), ElementsAre(1, 3, 5));  // a second pass
  Cursor cursor = odd.iterate();
  EXPECT_EQ(cursor.skip(2), 2);
  EXPECT_THAT(collect(std::move(cursor)), ElementsAre(5));
  EXPECT_EQ(odd.iterate().skip(10), 3);
}

TEST(Select, MoreExamplesThanTheSelectionAreAnError) {
  const auto all = [] { return collect(numbers(6).select({true, true, true})); };
  EXPECT_THROW(all(), DataError);
}

TEST(Select, FewerExamplesThanTheSelectionAreAnError) {
  const auto none_left = [](bool last) { return collect(numbers(2).select({true, true, false, last})); };
  EXPECT_THROW(none_left(true), DataError);
  EXPECT_THROW(none_left(false), DataError);
}

TEST(KFold, FoldsHaveEqualSizesAndDependOnTheSeed) {
  const std::vector<int> folds = k_fold(10, 3, 7);
  EXPECT_EQ(std::ranges::count(folds, 0), 4);
  EXPECT_EQ(std::ranges::count(folds, 1), 3);
  EXPECT_EQ(std::ranges::count(folds, 2), 3);
  EXPECT_EQ(folds, k_fold(10, 3, 7));
  EXPECT_NE(folds, k_fold(10, 3, 8));
}

// Expected folds from scikit-learn 1.9.1: GroupKFold(4).split(groups, groups=groups).
TEST(GroupKFold, EqualsSklearn) {
  std::vector<std::string> groups;
  for (const char group : std::string("djicfjhkjbjaheiddhiihgkcdkcigakbcjaeaehj")) groups.emplace_back(1, group);
  EXPECT_THAT(group_k_fold(groups, 4), ElementsAre(3, 0, 1, 1, 1, 0, 2, 3, 0, 0, 0, 2, 2, 0, 1, 3, 3, 2, 1, 1, 2, 3, 3,
                                                   1, 3, 3, 1, 1, 3, 2, 3, 0, 1, 0, 2, 0, 2, 0, 2, 0));
}

// Number of examples of each class in each fold.
std::vector<std::map<char, int>> counts_in_parts(const std::string& text, int folds, uint64_t seed) {
  std::vector<std::string> labels;
  for (const char letter : text) labels.emplace_back(1, letter);
  const std::vector<int> fold_of = stratified_k_fold(labels, folds, seed);
  std::vector<std::map<char, int>> counts(static_cast<size_t>(folds));
  for (size_t i = 0; i < text.size(); ++i) ++counts[static_cast<size_t>(fold_of[i])][text[i]];
  return counts;
}

// Expected counts from scikit-learn 1.9.1, by tests/oracle/data/make_split_golden.py.
TEST(StratifiedKFold, HasSklearnsCounts) {
  using Counts = std::vector<std::map<char, int>>;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    EXPECT_EQ(counts_in_parts("aaaaaaabbbbcc", 2, seed),
              (Counts{{{'a', 4}, {'b', 2}, {'c', 1}}, {{'a', 3}, {'b', 2}, {'c', 1}}}));
    EXPECT_EQ(counts_in_parts("aaaaaaabbbbcc", 3, seed),
              (Counts{{{'a', 3}, {'b', 1}, {'c', 1}}, {{'a', 2}, {'b', 2}}, {{'a', 2}, {'b', 1}, {'c', 1}}}));
    EXPECT_EQ(counts_in_parts("bcabcaaaabbcabaaca", 2, seed),
              (Counts{{{'a', 4}, {'b', 3}, {'c', 2}}, {{'a', 5}, {'b', 2}, {'c', 2}}}));
    EXPECT_EQ(counts_in_parts("bcabcaaaabbcabaaca", 3, seed),
              (Counts{{{'a', 3}, {'b', 2}, {'c', 1}}, {{'a', 3}, {'b', 2}, {'c', 1}}, {{'a', 3}, {'b', 1}, {'c', 2}}}));
    EXPECT_EQ(counts_in_parts("zzzyyyyyyyyyyyyyyyyxxxxxxxxxwwwwwww", 3, seed),
              (Counts{{{'w', 2}, {'x', 3}, {'y', 6}, {'z', 1}},
                      {{'w', 3}, {'x', 3}, {'y', 5}, {'z', 1}},
                      {{'w', 2}, {'x', 3}, {'y', 5}, {'z', 1}}}));
  }
  const std::vector<std::string> labels{"a", "a", "a", "a", "b", "b", "b", "b"};
  EXPECT_NE(stratified_k_fold(labels, 4, 1), stratified_k_fold(labels, 4, 2));
  EXPECT_THROW(stratified_k_fold({"a", "a", "b"}, 3, 0), UsageError);
}

TEST(GroupKFold, ErrorNamesTheNumberOfGroups) {
  try {
    group_k_fold({"a", "a", "b"}, 3);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("2 to 2, the number of groups"));
  }
  EXPECT_THROW(k_fold(5, 1, 0), UsageError);
}

}  // namespace
}  // namespace portatune::data
