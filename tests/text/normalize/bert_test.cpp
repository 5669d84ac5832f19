#include "portatune/text/normalize/bert.h"

#include <gtest/gtest.h>

#include "text/golden.h"

namespace portatune::text {
namespace {

std::string normalized(const BertNormalizerOptions& options, std::string_view text) {
  Normalized result;
  BertNormalizer(options).normalize(text, 0, result);
  return result.text();
}

void expect_golden(const std::string& name, const BertNormalizerOptions& options) {
  const auto golden = text::golden("code_points.json");
  EXPECT_EQ(digests(golden["block"], [&](char32_t c) { return normalized(options, utf8(c)); }),
            golden[name].get<std::vector<std::string>>());
}

constexpr BertNormalizerOptions kAll{
    .clean_text = true, .handle_chinese_chars = true, .strip_accents = true, .lowercase = true};

TEST(BertNormalizer, CleansEveryCodePointAsTokenizers) { expect_golden("clean_text", {.clean_text = true}); }

TEST(BertNormalizer, SeparatesEveryIdeographAsTokenizers) {
  expect_golden("handle_chinese_chars", {.handle_chinese_chars = true});
}

TEST(BertNormalizer, StripsEveryAccentAsTokenizers) { expect_golden("strip_accents", {.strip_accents = true}); }

TEST(BertNormalizer, LowercasesEveryCodePointAsTokenizers) { expect_golden("lowercase", {.lowercase = true}); }

TEST(BertNormalizer, NormalizesEveryCodePointAsTokenizers) { expect_golden("all", kAll); }

TEST(BertNormalizer, KeepsEverythingWithoutFlags) {
  constexpr std::string_view kText = "A\t\u00c9\u4e2d\u0301\x01";
  EXPECT_EQ(normalized({}, kText), kText);
}

TEST(BertNormalizer, RecordsTheOriginOfEachByte) {
  Normalized text;
  text.assign("\u200bX\u00c9\u4e2d", 5, true);
  BertNormalizer(kAll).normalize(text);
  EXPECT_EQ(text.text(), "xe \u4e2d ");
  const std::vector<Offsets> origins{{6, 7}, {7, 8}, {8, 9}, {8, 9}, {8, 9}, {8, 9}, {8, 9}};
  for (size_t i = 0; i < origins.size(); ++i) EXPECT_EQ(text.origin_at(i), origins[i]) << i;
}

}  // namespace
}  // namespace portatune::text
