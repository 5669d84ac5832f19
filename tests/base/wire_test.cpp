#include "portatune/base/wire.h"

#include <gtest/gtest.h>

#include "portatune/error.h"

namespace portatune {
namespace {

using namespace std::string_view_literals;

// The messages are from protobuf.dev/programming-guides/encoding where it has examples.
TEST(Wire, ReadsTheExamplesOfTheFormat) {
  WireReader number("\x08\x96\x01"sv);
  ASSERT_TRUE(number.next());
  EXPECT_EQ(number.field(), 1);
  EXPECT_EQ(number.varint(), 150u);
  EXPECT_FALSE(number.next());

  WireReader text("\x12\x07testing"sv);
  ASSERT_TRUE(text.next());
  EXPECT_EQ(text.field(), 2);
  EXPECT_EQ(text.bytes(), "testing");

  WireReader fixed("\x1D\x00\x00\xC0\x3F"sv);
  ASSERT_TRUE(fixed.next());
  EXPECT_EQ(fixed.field(), 3);
  EXPECT_EQ(fixed.fixed32(), 1.5f);
}

TEST(Wire, ReadsNegativeNumbersAndLargeFieldNumbers) {
  WireReader reader("\xF8\xFF\xFF\xFF\x0F\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.field(), 0x1FFFFFFF);
  EXPECT_EQ(static_cast<int64_t>(reader.varint()), -1);
}

TEST(Wire, RefusesMalformedMessages) {
  const auto read = [](std::string_view message) {
    for (WireReader reader(message); reader.next();) continue;
  };
  EXPECT_THROW(read("\x08"sv), UsageError) << "a number is missing";
  EXPECT_THROW(read("\x08\x96"sv), UsageError) << "a number is cut short";
  EXPECT_THROW(read("\x12\x07test"sv), UsageError) << "bytes beyond the end";
  EXPECT_THROW(read("\x12\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01x"sv), UsageError) << "a length of 2^64 - 1";
  EXPECT_THROW(read("\x1D\x00\x00\xC0"sv), UsageError) << "three of four bytes";
  EXPECT_THROW(read("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv), UsageError) << "eleven bytes";
  EXPECT_THROW(read("\x00\x01"sv), UsageError) << "field 0";
  EXPECT_THROW(read("\x0B\x0C"sv), UsageError) << "a group";
}

TEST(Wire, RefusesAValueAsAnotherType) {
  WireReader reader("\x08\x96\x01"sv);
  reader.next();
  EXPECT_THROW(reader.bytes(), UsageError);
  EXPECT_THROW(reader.fixed32(), UsageError);
}

TEST(Wire, WritesTheExamplesOfTheFormat) {
  WireWriter writer;
  writer.varint(1, 150);
  writer.bytes(2, "testing");
  writer.fixed64(3, 1);
  writer.fixed32(3, 1.5F);
  EXPECT_EQ(writer.message(), "\x08\x96\x01\x12\x07testing\x19\x01\0\0\0\0\0\0\0\x1D\x00\x00\xC0\x3F"sv);
}

}  // namespace
}  // namespace portatune
