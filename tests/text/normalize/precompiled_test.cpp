#include "portatune/text/normalize/precompiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::text {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::string& charsmap) {
  return message_of<UsageError>([&] { Precompiled{charsmap}; });
}

TEST(Precompiled, RefusesAnInvalidCharsmap) {
  EXPECT_THAT(refusal_of("abc"), HasSubstr("3 bytes"));
  EXPECT_THAT(refusal_of(std::string("\x08\0\0\0xxxx", 8)), HasSubstr("a trie of 8 bytes in 4"));
  EXPECT_THAT(refusal_of(std::string("\x04\0\0\0xxxx\xff", 9)), HasSubstr("0xff"));
}

// Invalid tries, with replacements of several bytes. The result must always be UTF-8.
TEST(Precompiled, SurvivesAnyTrie) {
  std::mt19937 random(9);
  for (int example = 0; example < 2000; ++example) {
    std::string charsmap("\0\x02\0\0", 4);
    for (int i = 0; i < 128; ++i) {
      const uint32_t unit =
          random() % 4 == 0 ? random() : (random() % 256) | (random() % 2) << 8 | (random() % 128) << 10;
      charsmap.append(reinterpret_cast<const char*>(&unit), sizeof(unit));
    }
    for (const CharsmapRule rule : {CharsmapRule::kTokenizers, CharsmapRule::kSentencePiece}) {
      const Precompiled normalizer(charsmap + "\u4e2d\u6587" + std::string("\0x", 2), rule);
      Normalized text;
      text.assign("ab\u00e9\u4e2d\r\n\u0301~", 0, true);
      normalizer.normalize(text);
      if (!text.text().empty()) text.origin(0, text.text().size());
    }
  }
}

}  // namespace
}  // namespace portatune::text
