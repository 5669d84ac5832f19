#include "portatune/text/pretokenize/bert.h"

#include <gtest/gtest.h>

#include "text/golden.h"

namespace portatune::text {
namespace {

std::string words_of(const std::string& text) {
  std::string words;
  for_each_bert_word(text, [&](size_t begin, size_t end) {
    if (!words.empty()) words += '|';
    words.append(text, begin, end - begin);
    return true;
  });
  return words;
}

TEST(BertPreTokenizer, SplitsAroundEveryCodePointAsTokenizers) {
  const auto golden = text::golden("code_points.json");
  EXPECT_EQ(digests(golden["block"], [](char32_t c) { return words_of("a" + (utf8(c) += 'a')); }),
            golden["words"].get<std::vector<std::string>>());
}

TEST(BertPreTokenizer, SplitsAtSpaceAndAroundPunctuation) {
  EXPECT_EQ(words_of("  it's\u3000so..  "), "it|'|s|so|.|.");
  EXPECT_EQ(words_of(""), "");
}

TEST(BertPreTokenizer, StopsWhenAsked) {
  int words = 0;
  EXPECT_FALSE(for_each_bert_word("a b c", [&](size_t, size_t) { return ++words < 2; }));
  EXPECT_EQ(words, 2);
}

}  // namespace
}  // namespace portatune::text
