#include "portatune/io/compress/zip_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "io/write_zip.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// PyTorch has written this archive.
std::string archive() { return text_of(std::filesystem::path(PORTATUNE_TEST_DATA) / "pytorch" / "dtypes_zip.bin"); }

ZipDirectory read(const std::string& archive) {
  return read_zip_directory(std::as_bytes(std::span(archive)), "made.zip");
}

std::string refusal_of(const std::string& archive) {
  return message_of<CheckpointError>([&] { read(archive); });
}

TEST(ZipDirectory, HasTheBytesOfTheEntries) {
  const std::string file = archive();
  const ZipDirectory directory = read(file);
  EXPECT_EQ(directory.first, "archive/data.pkl");
  const std::span<const std::byte> order = directory.entries.at("archive/byteorder");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(order.data()), order.size()), "little");
  EXPECT_EQ(directory.entries.at("archive/data/0").size(), 24u);  // three float64
}

TEST(ZipDirectory, RefusesCompressedEntries) {
  const TemporaryFolder folder;
  write_zip(folder / "made.zip", {{"archive/data.pkl", "}."}});
  EXPECT_THAT(refusal_of(text_of(folder / "made.zip")),
              AllOf(HasSubstr("made.zip"), HasSubstr("compressed"), HasSubstr("archive/data.pkl")));
}

TEST(ZipDirectory, RefusesANameThatOccursTwice) {
  std::string file = archive();
  for (size_t at; (at = file.find("data/1")) != std::string::npos;) file[at + 5] = '0';
  EXPECT_THAT(refusal_of(file), HasSubstr("'archive/data/0' twice"));
}

TEST(ZipDirectory, RefusesDamagedArchives) {
  const std::string file = archive();
  EXPECT_THAT(refusal_of(""), HasSubstr("not a whole zip archive"));
  EXPECT_THAT(refusal_of(file.substr(0, file.size() - 1)), HasSubstr("not a whole zip archive"));
  std::string moved = file;
  moved[file.rfind("PK\x01\x02") + 42] = '\x7f';  // offset of the last entry
  EXPECT_THAT(refusal_of(moved), HasSubstr("minizip"));
}

}  // namespace
}  // namespace portatune::io
