#include "portatune/text/unicode/utf8.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::text {
namespace {

TEST(Utf8, RoundTrips) {
  for (const char32_t c :
       {U'\0', U'a', U'\u007f', U'\u0080', U'\u07ff', U'\u0800', U'\uffff', U'\U00010000', U'\U0010ffff'}) {
    std::string text = "x";
    append_utf8(c, text);
    size_t at = 1;
    EXPECT_EQ(next_code_point(text, at), c);
    EXPECT_EQ(at, text.size());
    EXPECT_EQ(previous_code_point(text, text.size()), c);
    EXPECT_NO_THROW(require_utf8(text));
  }
}

TEST(Utf8, CountsCodePoints) {
  std::string text;
  for (size_t count = 0; count < 20; ++count) {
    EXPECT_EQ(count_code_points(text), 4 * count);
    EXPECT_EQ(is_ascii(text), count == 0);
    text += "a\u00e9\u4e2d\U0001f600";
  }
}

TEST(Utf8, FindsTheByteThatIsNotAscii) {
  for (size_t at = 0; at < 20; ++at) {
    std::string text(20, '\x7f');
    EXPECT_TRUE(is_ascii(text));
    text[at] = '\x80';
    EXPECT_FALSE(is_ascii(text));
  }
}

TEST(Utf8, NamesTheFirstBadByte) {
  const struct {
    std::string_view text;
    const char* message;
  } kCases[] = {
      {"ab\xff", "byte 0xff at byte offset 2"},            // invalid in UTF-8
      {"\u00e9\x80", "byte 0x80 at byte offset 2"},        // continuation without a beginning
      {"a\xc3", "byte 0xc3 at byte offset 1"},             // truncated
      {"\xc0\x80", "byte 0xc0 at byte offset 0"},          // overlong, two bytes
      {"xyz\xe0\x80\x80", "byte 0xe0 at byte offset 3"},   // overlong, three bytes
      {"\xf0\x80\x80\x80", "byte 0xf0 at byte offset 0"},  // overlong, four bytes
      {"\xed\xa0\x80", "byte 0xed at byte offset 0"},      // surrogate
      {"\xf4\x90\x80\x80", "byte 0xf4 at byte offset 0"},  // beyond U+10FFFF
      {"\u4e2d\xe4\xb8", "byte 0xe4 at byte offset 3"},    // truncated
  };
  for (const auto& [text, message] : kCases) {
    EXPECT_THAT(message_of<DataError>([&, bad = text] { require_utf8(bad); }), testing::HasSubstr(message));
  }
}

}  // namespace
}  // namespace portatune::text
