#include "portatune/text/model/piece_trie.h"

#include <gtest/gtest.h>

#include <random>

namespace portatune::text {
namespace {

using Found = std::vector<std::pair<size_t, int32_t>>;

Found prefixes(const PieceTrie& trie, std::string_view text, size_t begin) {
  Found found;
  trie.for_each_prefix(text, begin, [&](size_t size, int32_t id) { found.emplace_back(size, id); });
  return found;
}

TEST(PieceTrie, FindsEveryPrefixThatIsAToken) {
  std::mt19937 random(8);
  const auto random_text = [&](unsigned longest) {
    std::string text;
    for (unsigned n = random() % longest; n > 0; --n)
      text += static_cast<char>(random() % 5 == 0 ? random() % 256 : 'a' + random() % 3);
    return text;
  };
  Vocabulary vocabulary;
  for (int32_t id = 0; id < 3000; ++id) vocabulary.add(random_text(9), id);
  const PieceTrie trie(vocabulary);
  for (int example = 0; example < 3000; ++example) {
    const std::string text = random_text(14);
    Found expected;
    for (size_t size = 1; size + 1 <= text.size(); ++size) {
      if (const auto id = vocabulary.find(text.substr(1, size))) expected.emplace_back(size, *id);
    }
    if (text.empty()) continue;
    EXPECT_EQ(prefixes(trie, text, 1), expected);
  }
}

TEST(PieceTrie, IsEmptyWithoutTokens) { EXPECT_EQ(prefixes(PieceTrie(Vocabulary()), "abc", 0), Found()); }

}  // namespace
}  // namespace portatune::text
