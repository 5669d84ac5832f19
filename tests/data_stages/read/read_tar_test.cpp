#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kArchive = (fs::path(PORTATUNE_TEST_DATA) / "tar" / "pax.tar").string();

TEST(ReadTar, GroupsMembersByTheirKey) {
  std::vector<std::string> rows;
  for (const Example& row : read_tar(kArchive, {.columns = {"cls", "__key__"}}).iterate()) {
    rows.push_back(to_string(row.origin()).substr(kArchive.size()) + " " + row.text("cls") + " " +
                   fs::path(row.text("__key__")).filename().string());
  }
  EXPECT_THAT(rows, ElementsAre(":1 1 0001", ":2 0 0002", ":3 \xC3\xA9 0003"));
}

TEST(ReadTar, ReadsAllColumns) {
  const Example row = *read_tar(kArchive).iterate().next();
  EXPECT_EQ(row.columns().size(), 3u);
  EXPECT_EQ(row.text("__key__"), "clips/0001");
  EXPECT_EQ(row.text("bin").size(), 768u);
  EXPECT_EQ(row.text("cls"), "1");
}

TEST(ReadTar, NamesTheRowOfAMissingColumn) {
  Cursor cursor = read_table(kArchive, {.columns = {"bin"}}).iterate();
  EXPECT_EQ(cursor.next()->text("bin").size(), 768u);
  EXPECT_EQ(cursor.next()->text("bin"), "");
  EXPECT_THAT(message_of<DataError>([&] { cursor.next(); }),
              testing::AllOf(HasSubstr("pax.tar:3"), HasSubstr("part.bin")));
}

}  // namespace
}  // namespace portatune::data
