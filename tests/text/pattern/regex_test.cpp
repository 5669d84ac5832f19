#include "portatune/text/pattern/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::text {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Span> matches(const std::string& regex, std::string_view text) {
  std::vector<Span> result;
  Regex(regex).find(text, result);
  return result;
}

std::string refusal_of(const std::string& regex) {
  return message_of<UsageError>([&] { Regex{regex}; });
}

TEST(Regex, FindsAllMatches) { EXPECT_THAT(matches("a+|c", "aabca"), ElementsAre(Span{0, 2}, Span{3, 4}, Span{4, 5})); }

// An empty match counts, unless it directly follows another match.
TEST(Regex, FindsEmptyMatches) {
  EXPECT_THAT(matches("b*", "abb"), ElementsAre(Span{0, 0}, Span{1, 3}));
  EXPECT_THAT(matches("$", "ab"), ElementsAre(Span{2, 2}));
  EXPECT_THAT(matches("(?=\u00e9)", "\u00e9\u00e9"), ElementsAre(Span{0, 0}, Span{2, 2}));
}

TEST(Regex, MatchesLinesAsRuby) { EXPECT_THAT(matches("^.", "a\nb"), ElementsAre(Span{0, 1}, Span{2, 3})); }

// U+1C89 is a letter from Unicode 16 on. `tokenizers` has Unicode 16; Debian's PCRE2 does not.
TEST(Regex, HasTheCategoriesOfTokenizers) { EXPECT_THAT(matches(R"(\p{Lu})", "\u1c89"), ElementsAre(Span{0, 3})); }

TEST(Regex, RefusesConstructsWithTwoMeanings) {
  EXPECT_THAT(refusal_of("[a&&b]"), HasSubstr("an intersection of classes at byte 2"));
  EXPECT_THAT(refusal_of("[[:alpha:]]"), HasSubstr("a POSIX class"));
  EXPECT_THAT(refusal_of("(?m:.)"), HasSubstr("a group (?m"));
  EXPECT_THAT(refusal_of("a{2,3}+"), HasSubstr("a repetition of a repetition"));
  EXPECT_THAT(refusal_of(R"(\h)"), HasSubstr("\\h"));
  EXPECT_THAT(refusal_of(R"(\p{Greek})"), HasSubstr("\\p{Greek}"));
  EXPECT_THAT(refusal_of(R"(\x80)"), HasSubstr("a byte that is not a code point"));
  EXPECT_THAT(refusal_of(R"(a\)"), HasSubstr("a backslash"));
}

TEST(Regex, ErrorsNameTheFault) {
  EXPECT_THAT(refusal_of("(a"), HasSubstr("regular expression (a"));
  EXPECT_THAT(refusal_of("[a"), HasSubstr("regular expression [a"));
}

// Each \w becomes a class of 24 KB.
TEST(Regex, LimitsItsClasses) {
  std::string words;
  for (int i = 0; i < 1'000'000; ++i) words += R"(\w)";
  EXPECT_THAT(refusal_of(words), HasSubstr("too many classes at byte"));
  EXPECT_THAT(matches(R"(\w\w[\w-]\W)", "ab-."), ElementsAre(Span{0, 4}));
}

TEST(Regex, FailsIfItWouldTakeTooLong) {
  const std::string text(60, 'a');
  EXPECT_THAT(message_of<DataError>([&] { matches("(a+)+$", text + "b"); }), HasSubstr("a text of 61 bytes"));
}

}  // namespace
}  // namespace portatune::text
