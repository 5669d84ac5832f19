#include "portatune/text/pattern/word_scanner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "portatune/text/pattern/regex.h"

namespace portatune::text {
namespace {

constexpr const char* kGpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// Texts of up to `max_parts` of these parts.
std::vector<std::string> texts_of(const std::vector<std::string>& parts, int count, unsigned max_parts) {
  std::mt19937 random(2);
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    std::string& text = texts.emplace_back();
    for (unsigned n = random() % max_parts; n > 0; --n) text += parts[random() % parts.size()];
  }
  return texts;
}

// Texts that are longer than a block of the scanner.
std::vector<std::string> ascii_texts(int count) {
  return texts_of({"a",     "B",     "'",    "'s",   "'re",
                   "'ll",   "'v",    "ve",   "1",    "23",
                   " ",     " ",     "  ",   "\n",   "\t",
                   ".",     "!?",    "_",    "\x1f", std::string(1, '\0'),
                   "words", " some", "[{@`", "\x7f", "internationalisation"},
                  count, 120);
}

std::vector<std::string> random_texts(int count) {
  const std::vector<std::string> parts{"a",
                                       "B",
                                       "S",
                                       "t",
                                       "'",
                                       "'s",
                                       "'LL",
                                       "'\u017f",
                                       "ve",
                                       "1",
                                       "23",
                                       "\u0661",
                                       "\u00bd",
                                       " ",
                                       " ",
                                       "  ",
                                       "\n",
                                       "\r\n",
                                       "\t",
                                       "\u3000",
                                       "\u00a0",
                                       ".",
                                       "!?",
                                       "_",
                                       "\u00e9",
                                       "\u4e2d",
                                       "\u0301",
                                       "\u200d",
                                       "\U0001f600",
                                       "\u0378",
                                       "words",
                                       " some",
                                       "[{@`",
                                       "fifteenfourteen",
                                       "sixteencharacter",
                                       "internationalisationS"};
  return texts_of(parts, count, 40);
}

template <WordRules rules>
void expect_agreement(const std::string& regex) {
  ASSERT_EQ(known_word_rules(regex), rules);
  const Regex engine(regex);
  std::vector<std::string> texts = random_texts(20'000);
  std::ranges::move(ascii_texts(10'000), std::back_inserter(texts));
  for (const std::string& text : texts) {
    std::vector<Span> words, matches;
    for_each_word<rules>(text, [&](size_t begin, size_t end) {
      words.push_back({begin, end});
      return true;
    });
    engine.find(text, matches);
    std::erase_if(matches, [](const Span& match) { return match.begin == match.end; });
    ASSERT_EQ(words, matches) << text;
  }
}

TEST(WordScanner, AgreesWithGpt2sExpression) { expect_agreement<WordRules::kGpt2>(kGpt2); }
TEST(WordScanner, AgreesWithLlama3sExpression) { expect_agreement<WordRules::kLlama3>(kLlama3); }
TEST(WordScanner, AgreesWithQwen2sExpression) { expect_agreement<WordRules::kQwen2>(kQwen2); }

TEST(WordScanner, DoesNotRecogniseOtherExpressions) {
  EXPECT_EQ(known_word_rules(R"(\p{L}+)"), std::nullopt);
  EXPECT_EQ(known_word_rules(std::string(kLlama3) + "|x"), std::nullopt);
}

TEST(WordScanner, StopsWhenAsked) {
  int words = 0;
  EXPECT_FALSE(for_each_word<WordRules::kGpt2>("a b c", [&](size_t, size_t) { return ++words < 2; }));
  EXPECT_EQ(words, 2);
}

}  // namespace
}  // namespace portatune::text
