#include "portatune/io/text/line_reader.h"

#include <gtest/gtest.h>

#include "io/table_file.h"
#include "portatune/io/text/bad_record.h"

namespace portatune::io {
namespace {

std::vector<std::string> lines_of(LineReader& reader) {
  std::vector<std::string> lines;
  while (reader.next()) lines.emplace_back(reader.text().begin(), reader.text().end());
  return lines;
}

std::vector<std::string> lines_of(const std::string& text) {
  LineReader reader(write_file("lines", text), 100, "short lines");
  return lines_of(reader);
}

using Lines = std::vector<std::string>;

TEST(LineReader, EndsLinesAtLfAndAtTheEndOfTheFile) {
  EXPECT_EQ(lines_of("a\n\nb"), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\r\n"), (Lines{"a\r"}));
  EXPECT_EQ(lines_of(""), Lines());
  EXPECT_EQ(lines_of("\n"), (Lines{""}));
}

TEST(LineReader, ContinuesAfterABadLine) {
  LineReader reader(
      write_file("lines", "a\nb\xff\nc\n" + std::string(1'000'000, 'x') + "\nd\n" + std::string(101, 'y')), 100,
      "short lines");
  EXPECT_TRUE(reader.next());
  expect_error<BadRecordError>([&] { reader.next(); }, {"lines:2", "0xff", "UTF-8"});
  EXPECT_TRUE(reader.next());
  EXPECT_EQ(reader.number(), 3);
  expect_error<BadRecordError>([&] { reader.next(); }, {"lines:4", "a line of more than 100 bytes", "short lines"});
  EXPECT_TRUE(reader.next());
  EXPECT_EQ(std::string(reader.text().begin(), reader.text().end()), "d");
  EXPECT_EQ(reader.number(), 5);
  EXPECT_THROW(reader.next(), BadRecordError);
  EXPECT_FALSE(reader.next());
}

TEST(LineReader, ReadsCompressedFilesLineByLine) {
  LineReader reader(PORTATUNE_TEST_DATA "/compressed/lines.txt.gz", 100, "short lines");
  const Lines lines = lines_of(reader);
  EXPECT_EQ(lines.size(), 100'000U);
  EXPECT_EQ(lines.front(), "the same line");
  EXPECT_EQ(lines.back(), "the same line");
}

}  // namespace
}  // namespace portatune::io
