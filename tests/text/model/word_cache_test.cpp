#include "portune/text/model/word_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace portune::text {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

std::vector<int32_t> ids_for(int word) { return std::vector<int32_t>(static_cast<size_t>(word % 6 + 1), word); }

TEST(WordCache, GivesBackFewAndManyIds) {
  WordCache cache;
  for (int word = 0; word < 100; ++word) {
    const ShortKey key = ShortKey::of(std::to_string(word));
    EXPECT_THAT(cache.find(key, key.hash()), IsEmpty());
    EXPECT_THAT(cache.insert(key, key.hash(), ids_for(word)), ElementsAreArray(ids_for(word)));
  }
  for (int word = 0; word < 100; ++word) {
    const ShortKey key = ShortKey::of(std::to_string(word));
    EXPECT_THAT(cache.find(key, key.hash()), ElementsAreArray(ids_for(word)));
  }
}

TEST(WordCache, ForgetsButNeverConfusesWords) {
  WordCache cache;
  constexpr int kWords = 300'000;  // far more than fit
  int known = 0;
  for (int word = 0; word < kWords; ++word) {
    const ShortKey key = ShortKey::of(std::to_string(word));
    cache.insert(key, key.hash(), ids_for(word));
  }
  for (int word = 0; word < kWords; ++word) {
    const ShortKey key = ShortKey::of(std::to_string(word));
    const auto ids = cache.find(key, key.hash());
    if (ids.empty()) continue;
    EXPECT_THAT(ids, ElementsAreArray(ids_for(word)));
    ++known;
  }
  EXPECT_GT(known, 10'000);
}

}  // namespace
}  // namespace portune::text
