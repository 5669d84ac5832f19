#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "io/temporary_folder.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ReadText : public testing::Test {
 protected:
  std::string file(const std::string& bytes) const {
    const std::string path = (folder_ / "a.txt").string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::vector<std::string> lines(const std::string& path) {
    std::vector<std::string> lines;
    for (const Example& row : read_text(path).iterate()) lines.push_back(row.text("text"));
    return lines;
  }
  const TemporaryFolder folder_;
};

TEST_F(ReadText, EveryLineIsARow) {
  EXPECT_THAT(lines(file("one\ntwo\r\n\n four \nfive")), ElementsAre("one", "two", "", " four ", "five"));
  EXPECT_THAT(lines(file("one\n")), ElementsAre("one"));
}

TEST_F(ReadText, ALineMayBeLongerThanABlock) {
  const std::string line(3'000'000, 'x');
  EXPECT_THAT(lines(file("a\n" + line + "\nb\n")), ElementsAre("a", line, "b"));
}

TEST_F(ReadText, OriginIsTheLine) {
  const std::string path = file("one\ntwo\n");
  Cursor cursor = read_table(path).iterate();
  cursor.next();
  EXPECT_EQ(to_string(cursor.next()->origin()), path + ":2");
}

TEST_F(ReadText, ErrorOfInvalidUtf8NamesTheLine) {
  const std::string path = file("one\ncaf\xE9\n");
  try {
    lines(path);
    FAIL() << "accepted";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.txt:2"));
  }
}

TEST_F(ReadText, HasOneColumn) { EXPECT_THROW(read_table(file("one\n"), {.columns = {"text", "label"}}), UsageError); }

}  // namespace
}  // namespace portatune::data
