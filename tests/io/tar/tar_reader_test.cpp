#include "portatune/io/tar/tar_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path kArchives = fs::path(PORTATUNE_TEST_DATA) / "tar";

// Archives by Python's tarfile: tests/oracle/data/make_tar_archives.py.
class TarReaderOf : public testing::TestWithParam<const char*> {
 protected:
  static fs::path file() { return kArchives / (std::string(GetParam()) + ".tar"); }
};

TEST_P(TarReaderOf, ReadsNamesAndContents) {
  TarReader reader(file());
  std::vector<std::string> names, contents;
  while (const auto member = reader.next()) {
    names.push_back(fs::path(member->name).filename());
    contents.push_back(reader.read(*member));
    EXPECT_EQ(fs::path(member->name).parent_path().native().starts_with("a folder whose name is long/"),
              names.size() > 5);
  }
  EXPECT_THAT(names,
              ElementsAre("0001.cls", "0001.bin", ".hidden.cls", "0002.bin", "0002.cls", "0003.part.BIN", "0003.cls"));
  std::string bytes;
  for (int i = 0; i < 3 * 256; ++i) bytes += static_cast<char>(i % 256);
  EXPECT_THAT(contents, ElementsAre("1\n", bytes, "9", "", "0", std::string(512, 'x'), "\xC3\xA9"));
}

TEST_P(TarReaderOf, ReturnsToEveryMember) {
  TarReader reader(file());
  std::vector<TarMember> members;
  while (const auto member = reader.next()) members.push_back(*member);
  for (const TarMember& member : members) {
    reader.seek(member.header);
    EXPECT_EQ(reader.next()->name, member.name);
  }
}

TEST_P(TarReaderOf, RefusesATruncatedArchive) {
  const TemporaryFolder folder;
  const std::string whole = text_of(file());
  for (const size_t size : {size_t{300}, size_t{1200}}) {
    write_text(folder / "cut.tar", whole.substr(0, size));
    const std::string message = message_of<DataError>([&] {
      TarReader reader(folder / "cut.tar");
      while (reader.next()) {
      }
    });
    EXPECT_THAT(message, HasSubstr("cut.tar, byte ")) << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, TarReaderOf, testing::Values("pax", "gnu", "ustar"));

TEST(TarReader, RefusesDamagedHeaders) {
  const TemporaryFolder folder;
  std::string bytes = text_of(kArchives / "pax.tar");
  bytes[3] ^= 1;
  write_text(folder / "a.tar", bytes);
  EXPECT_THAT(message_of<DataError>([&] { TarReader(folder / "a.tar").next(); }), HasSubstr("another checksum"));
  write_text(folder / "b.tar", std::string(1024, 'x'));
  EXPECT_THROW(TarReader(folder / "b.tar").next(), DataError);
  write_text(folder / "c.tar", "");
  EXPECT_FALSE(TarReader(folder / "c.tar").next());
}

TEST(TarReader, RefusesBytesBehindTheEndMark) {
  const TemporaryFolder folder;
  write_text(folder / "a.tar", text_of(kArchives / "pax.tar") + "x");
  TarReader reader(folder / "a.tar");
  const std::string message = message_of<DataError>([&] {
    while (reader.next()) {
    }
  });
  EXPECT_THAT(message, HasSubstr("bytes behind the end mark"));
}

}  // namespace
}  // namespace portatune::io
