#include "portatune/text/model/merge_word.h"

#include <gtest/gtest.h>

#include <random>

namespace portatune::text {
namespace {

// The definition of the rule: merge the first pair of the lowest rank until no pair merges.
std::vector<int32_t> merged_one_by_one(const Merges& merges, std::vector<int32_t> ids) {
  while (true) {
    size_t best = ids.size();
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto merge = merges.find(ids[i], ids[i + 1]);
      if (merge && (best == ids.size() || merge.rank < merges.find(ids[best], ids[best + 1]).rank)) best = i;
    }
    if (best == ids.size()) return ids;
    ids[best] = merges.find(ids[best], ids[best + 1]).id;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

// Ids 0 to 3 are characters. A merged token gets a new id, because different texts have different ids.
Merges random_merges(std::mt19937& random, int count) {
  Merges merges;
  int32_t ids = 4;
  for (int32_t rank = 0; rank < count; ++rank) {
    const auto left = static_cast<int32_t>(random() % static_cast<unsigned>(ids));
    const auto right = static_cast<int32_t>(random() % static_cast<unsigned>(ids));
    if (!merges.find(left, right)) merges.insert(left, right, {rank, ids++});
  }
  return merges;
}

TEST(MergeWord, MergesShortAndLongWordsByTheRule) {
  std::mt19937 random(4);
  for (int example = 0; example < 400; ++example) {
    const Merges merges = random_merges(random, 60);
    std::vector<Symbol> symbols(1 + random() % 90);
    std::vector<int32_t> ids;
    for (Symbol& symbol : symbols) ids.push_back((symbol = {static_cast<int32_t>(random() % 4), 1}).id);
    const size_t bytes = symbols.size();
    merge_word(merges, symbols);
    std::vector<int32_t> result;
    size_t sum = 0;
    for (const Symbol& symbol : symbols) {
      result.push_back(symbol.id);
      sum += symbol.bytes;
    }
    EXPECT_EQ(result, merged_one_by_one(merges, ids));
    EXPECT_EQ(sum, bytes);
  }
}

TEST(MergeWord, TakesNearlyLinearTimeForLongWords) {
  Merges merges;
  merges.insert(0, 0, {0, 1});
  merges.insert(1, 1, {1, 2});
  std::vector<Symbol> symbols(1 << 20, {0, 1});
  merge_word(merges, symbols);  // quadratic time would take hours
  EXPECT_EQ(symbols.size(), size_t{1} << 18);
}

TEST(Merges, KeepTheLastMergeOfAPair) {
  Merges merges;
  for (int32_t i = 0; i < 5000; ++i) merges.insert(i, i + 1, {i, i});
  merges.insert(7, 8, {9, 3});
  EXPECT_EQ(merges.find(7, 8).rank, 9);
  EXPECT_EQ(merges.find(4999, 5000).id, 4999);
  EXPECT_FALSE(merges.find(8, 7));
}

}  // namespace
}  // namespace portatune::text
