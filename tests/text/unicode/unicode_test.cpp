#include "portatune/text/unicode/unicode.h"

#include <gtest/gtest.h>

#include "text/golden.h"

namespace portatune::text {
namespace {

TEST(UnicodeTables, HaveEveryWordCharacterOfTokenizers) {
  const auto golden = text::golden("code_points.json");
  const UnicodeTables& tables = UnicodeTables::get();
  const auto is_word = [&](char32_t c) { return (tables.properties(c) & kWord) != 0 ? "yes" : "no"; };
  EXPECT_EQ(digests(golden["block"], is_word), golden["word_character"].get<std::vector<std::string>>());
}

TEST(UnicodeTables, HaveCombiningClasses) {
  const UnicodeTables& tables = UnicodeTables::get();
  EXPECT_EQ(tables.combining_class(U'a'), 0);
  EXPECT_EQ(tables.combining_class(U'\u0301'), 230);
  EXPECT_EQ(tables.combining_class(U'\u0316'), 220);
  EXPECT_EQ(tables.combining_class(U'\u0345'), 240);
  EXPECT_EQ(tables.combining_class(0x10FFFF), 0);
}

TEST(UnicodeTables, DecomposeFully) {
  EXPECT_EQ(UnicodeTables::get().decomposition(U'\u1e69'), U"s\u0323\u0307");
  EXPECT_EQ(decompose_hangul(U'\ud55c'), (std::array<char32_t, 3>{0x1112, 0x1161, 0x11AB}));
  EXPECT_EQ(decompose_hangul(U'\uac00'), (std::array<char32_t, 3>{0x1100, 0x1161, 0}));
}

}  // namespace
}  // namespace portatune::text
