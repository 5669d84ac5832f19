#include "portatune/base/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace portatune {
namespace {

constexpr size_t kNone = std::string_view::npos;

TEST(Utf8, ValidTextHasNoFault) {
  EXPECT_EQ(find_invalid_utf8(""), kNone);
  EXPECT_EQ(find_invalid_utf8(std::string("a\0b", 3)), kNone);
  // The text contains the first and the last character of each length, and those next to the surrogates.
  EXPECT_EQ(find_invalid_utf8("\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
                              "\xF4\x8F\xBF\xBF"),
            kNone);
}

// The ill-formed sequences of table 3-7 of the Unicode Standard, each after two good bytes.
TEST(Utf8, FaultIsTheFirstByteOfAnIllFormedSequence) {
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xE1\x80", "\xE1\x80\x41",
        "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xF1\x80\x80", "\xFE", "\xFF"}) {
    EXPECT_EQ(find_invalid_utf8(std::string("ab") + bad), 2u) << bad;
    EXPECT_EQ(find_invalid_utf8(std::string("\xC3\xA9") + bad + "cd"), 2u) << bad;
  }
}

}  // namespace
}  // namespace portatune
