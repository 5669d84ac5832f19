#include "portatune/io/tfrecord/tfrecord_writer.h"

#include <gmock/gmock.h>

#include "io/tfrecord_cases.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  return names;
}

TEST(TfrecordWriter, WritesTheBytesOfTensorFlow) {
  const TemporaryFolder folder;
  write_records(folder / "a", records_of(kTfrecordData / "examples.tfrecord"));
  EXPECT_EQ(text_of(folder / "a"), text_of(kTfrecordData / "examples.tfrecord"));
}

TEST(TfrecordWriter, CompressesAsGzip) {
  const TemporaryFolder folder;
  const std::vector<std::string> records(5000, "the same again and again");
  write_records(folder / "a", records, {.gzip = true, .index = false});
  EXPECT_LT(std::filesystem::file_size(folder / "a"), 20'000u);
  EXPECT_EQ(text_of(folder / "a").substr(0, 3), "\x1F\x8B\x08");
  EXPECT_EQ(records_of(folder / "a"), records);
}

TEST(TfrecordWriter, ChangesNothingBeforeTheCommit) {
  const TemporaryFolder folder;
  write_text(folder / "a", "older");
  {
    TfrecordWriter writer((folder / "a").string(), {});
    writer.write("x");
    writer.finish();
    EXPECT_EQ(text_of(folder / "a"), "older");
  }
  EXPECT_THAT(names_in(folder), testing::ElementsAre("a"));
}

TEST(TfrecordWriter, AnOlderIndexIsRemoved) {
  const TemporaryFolder folder;
  write_records(folder / "a", {"x"}, {.index = true});
  EXPECT_THAT(names_in(folder), testing::UnorderedElementsAre("a", "a.index"));
  write_records(folder / "a", {"x"}, {.index = false});
  EXPECT_THAT(names_in(folder), testing::ElementsAre("a"));
}

TEST(TfrecordWriter, AMissingFolderIsNotFound) {
  const TemporaryFolder folder;
  EXPECT_THROW(TfrecordWriter((folder / "none" / "a").string(), {}), NotFoundError);
}

}  // namespace
}  // namespace portatune::io
