#include "portatune/text/model/word_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace portatune::text {
namespace {

// Tokens of a word of 15 bytes that overlap in all possible ways.
std::vector<Piece> tokens_for(int word) {
  std::vector<Piece> tokens;
  const auto number = static_cast<uint32_t>(word);
  for (uint32_t i = 0; i < number % 6 + 1; ++i) tokens.push_back({word, (number + i) % 8, 8 + (number * 3 + i) % 8});
  return tokens;
}

using Row = std::tuple<int32_t, uint32_t, uint32_t>;
std::vector<Row> rows(const auto& tokens) {
  std::vector<Row> rows;
  for (size_t i = 0; i < tokens.size(); ++i) rows.emplace_back(tokens[i].id, tokens[i].begin, tokens[i].end);
  return rows;
}

TEST(WordCache, ReturnsFewAndManyTokens) {
  WordCache cache;
  for (int word = 0; word < 100; ++word) {
    const ShortKey key = ShortKey::of(std::to_string(word));
    EXPECT_TRUE(cache.find(key, key.hash()).empty());
    cache.insert(key, key.hash(), tokens_for(word));
  }
  for (int word = 0; word < 100; ++word) {
    const ShortKey key = ShortKey::of(std::to_string(word));
    const WordCache::Tokens tokens = cache.find(key, key.hash());
    EXPECT_EQ(rows(tokens), rows(tokens_for(word)));
    EXPECT_THAT(tokens.ids(), testing::SizeIs(tokens.size()));
    EXPECT_THAT(tokens.ids(), testing::Each(word));
  }
}

TEST(WordCache, SkipsTokensThatItCannotStore) {
  WordCache cache;
  const ShortKey key = ShortKey::of("word");
  const std::vector<std::vector<Piece>> refused{{}, {{7, 0, 16}}, {{7, 3, 2}}, std::vector<Piece>(256, {7, 0, 1})};
  for (const auto& tokens : refused) {
    cache.insert(key, key.hash(), tokens);
    EXPECT_TRUE(cache.find(key, key.hash()).empty());
  }
  const std::vector<Piece> most(255, {7, 15, 15});
  cache.insert(key, key.hash(), most);
  EXPECT_EQ(rows(cache.find(key, key.hash())), rows(most));
}

TEST(WordCache, EvictsButNeverConfusesWords) {
  WordCache cache;
  constexpr int kWords = 300'000;  // many more than fit
  int known = 0;
  for (int word = 0; word < kWords; ++word) {
    const ShortKey key = ShortKey::of(std::to_string(word));
    cache.insert(key, key.hash(), tokens_for(word));
  }
  for (int word = 0; word < kWords; ++word) {
    const ShortKey key = ShortKey::of(std::to_string(word));
    const auto tokens = cache.find(key, key.hash());
    if (tokens.empty()) continue;
    EXPECT_EQ(rows(tokens), rows(tokens_for(word)));
    ++known;
  }
  EXPECT_GT(known, 10'000);
}

}  // namespace
}  // namespace portatune::text
