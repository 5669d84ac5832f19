#include "portatune/text/normalize/unicode_form.h"

#include <gtest/gtest.h>

#include "portatune/text/normalize/characters.h"
#include "text/golden.h"

namespace portatune::text {
namespace {

std::string normalized(const Normalizer& normalizer, const std::string& text) {
  Normalized result;
  result.assign(text, 0, false);
  normalizer.normalize(result);
  return result.text();
}

// Each code point is tested alone, and before two marks.
void expect_golden(const std::string& name, const Normalizer& normalizer) {
  const auto golden = text::golden("code_points.json");
  EXPECT_EQ(digests(golden["block"], [&](char32_t c) { return normalized(normalizer, utf8(c)); }),
            golden[name].get<std::vector<std::string>>());
  EXPECT_EQ(digests(golden["block"], [&](char32_t c) { return normalized(normalizer, utf8(c) + "\u0301\u0323"); }),
            golden[name + ", marks"].get<std::vector<std::string>>());
}

TEST(UnicodeNormalizer, ComposesEveryCodePointAsTokenizers) {
  expect_golden("NFC", UnicodeNormalizer(UnicodeForm::kNfc));
  expect_golden("NFKC", UnicodeNormalizer(UnicodeForm::kNfkc));
}

TEST(UnicodeNormalizer, DecomposesEveryCodePointAsTokenizers) {
  expect_golden("NFD", UnicodeNormalizer(UnicodeForm::kNfd));
  expect_golden("NFKD", UnicodeNormalizer(UnicodeForm::kNfkd));
}

TEST(StripAccents, RemovesTheMarksOfTokenizers) { expect_golden("StripAccents", StripAccents()); }
TEST(Lowercase, LowersEveryCodePointAsTokenizers) { expect_golden("Lowercase", Lowercase()); }
TEST(Nmt, CleansEveryCodePointAsTokenizers) { expect_golden("Nmt", Nmt()); }

// Hangul composes by arithmetic.
TEST(UnicodeNormalizer, ComposesHangul) {
  const UnicodeNormalizer nfc(UnicodeForm::kNfc);
  EXPECT_EQ(normalized(nfc, "\u1112\u1161\u11ab"), "\ud55c");
  EXPECT_EQ(normalized(nfc, "\uac00\u11a8"), "\uac01");
  EXPECT_EQ(normalized(nfc, "\uac01\u11a8"), "\uac01\u11a8");
}

}  // namespace
}  // namespace portatune::text
