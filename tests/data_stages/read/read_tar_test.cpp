#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <numeric>

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

// A member of an archive: its header, and its content up to the end of a block.
std::string member(const std::string& name, std::string content) {
  std::string header(512, '\0');
  const auto put = [&](size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  const auto octal = [](size_t number, int digits) {
    char text[16];
    std::snprintf(text, sizeof text, "%0*zo", digits, number);
    return std::string(text);
  };
  put(0, name);
  put(124, octal(content.size(), 11));
  put(148, std::string(8, ' '));
  put(156, "0");
  const auto add = [](size_t sum, char c) { return sum + static_cast<unsigned char>(c); };
  put(148, octal(std::accumulate(header.begin(), header.end(), size_t{0}, add), 6));
  content.resize((content.size() + 511) / 512 * 512);
  return header + content;
}

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

TEST(ReadTar, TextsLoseOneLineBreak) {
  const TemporaryFolder folder;
  const std::string path = (folder / "texts.tar").string();
  write_text(path, member("1.cls", "cat\r\n") + member("1.txt", "a\n\n") + member("1.bin", "b\n") +
                       member("2.cls", "dog\r") + std::string(1024, '\0'));
  Cursor cursor = read_tar(path).iterate();
  const Example first = *cursor.next();
  EXPECT_EQ(first.text("cls"), "cat");
  EXPECT_EQ(first.text("txt"), "a\n");
  EXPECT_EQ(first.text("bin"), "b\n");
  EXPECT_EQ(cursor.next()->text("cls"), "dog\r");
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
