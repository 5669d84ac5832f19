#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

Example numbered(int number) {
  Example example;
  return example.set("n", std::to_string(number));
}

std::vector<std::string> numbers_in(const std::string& file) {
  std::vector<std::string> numbers;
  for (const Example& example : read_tfrecord(file).iterate()) numbers.push_back(example.text("n"));
  return numbers;
}

}  // namespace

// The first record of examples.tfrecord, which TensorFlow wrote, ends at the first byte of the second.
TEST(TfrecordWriter, WritesTheBytesOfTensorFlow) {
  const TemporaryFolder folder;
  TfrecordWriter writer((folder / "a").string());
  Example example;
  example.set("sentence", "The sailors rode the breeze clear of the rocks.").set("label", Tensor({}, {int32_t{1}}));
  writer.write(example);
  writer.commit();
  const std::string written = text_of(folder / "a");
  EXPECT_EQ(written,
            text_of(std::string(PORTATUNE_TEST_DATA) + "/tfrecord/examples.tfrecord").substr(0, written.size()));
}

TEST(TfrecordWriter, RoundTripsValuesOfEveryKind) {
  const TemporaryFolder folder;
  TfrecordWriter writer((folder / "a").string());
  Example example;
  example.set("int64", Tensor({2, 2}, {int64_t{1}, int64_t{-2}, int64_t{3}, INT64_MAX}));
  example.set("int16", Tensor({2}, {int16_t{-7}, int16_t{8}})).set("uint8", Tensor({2}, {uint8_t{0}, uint8_t{255}}));
  example.set("float64", Tensor({2}, {0.5, 0.25})).set("float32", Tensor({2}, {1.5F, -0.1F}));
  example.set("texts", std::vector<std::string>{"a", "b"}).set("text", std::string("\0\xFF", 2));
  writer.write(example);
  writer.commit();
  const Example read = *read_tfrecord((folder / "a").string()).iterate().next();
  const auto integers = [&](const char* name) {
    const auto values = read.tensor(name).as<int64_t>();
    return std::vector<int64_t>(values.begin(), values.end());
  };
  EXPECT_THAT(integers("int64"), ElementsAre(1, -2, 3, INT64_MAX));
  EXPECT_THAT(integers("int16"), ElementsAre(-7, 8));
  EXPECT_THAT(integers("uint8"), ElementsAre(0, 255));
  EXPECT_THAT(read.tensor("float64").as<float>(), ElementsAre(0.5F, 0.25F));
  EXPECT_THAT(read.tensor("float32").as<float>(), ElementsAre(1.5F, -0.1F));
  EXPECT_EQ(read.text("texts"), R"(["a","b"])");
  EXPECT_EQ(read.text("text"), std::string("\0\xFF", 2));
}

TEST(TfrecordWriter, AlternatesBetweenShards) {
  const TemporaryFolder folder;
  TfrecordWriter writer((folder / "t-{shard:05d}-of-{shards:03d}").string(), {.shards = 3, .index = false});
  for (int i = 0; i < 7; ++i) writer.write(numbered(i));
  EXPECT_EQ(writer.written(), 7);
  writer.commit();
  EXPECT_THAT(names_in(folder), ElementsAre("t-00000-of-003", "t-00001-of-003", "t-00002-of-003"));
  EXPECT_THAT(numbers_in(writer.files()[0]), ElementsAre("0", "3", "6"));
  EXPECT_THAT(numbers_in(writer.files()[2]), ElementsAre("2", "5"));
}

TEST(TfrecordWriter, RejectsInvalidNames) {
  const TemporaryFolder folder;
  const auto write = [&](const char* pattern, int64_t shards) {
    TfrecordWriter((folder / pattern).string(), {.shards = shards});
  };
  EXPECT_THAT(message_of<UsageError>([&] { write("a", 2); }), HasSubstr("{shard:05d}"));
  EXPECT_THROW(write("a-{shards}", 2), UsageError);
  EXPECT_THROW(write("a-{shard:5d}", 2), UsageError);
  EXPECT_THROW(write("a-{number}", 1), UsageError);
  EXPECT_THROW(write("a", 0), UsageError);
  EXPECT_THAT(names_in(folder), ElementsAre());
}

TEST(TfrecordWriter, LeavesNoFilesWithoutCommit) {
  const TemporaryFolder folder;
  {
    TfrecordWriter writer((folder / "a-{shard}").string(), {.shards = 3});
    for (int i = 0; i < 1000; ++i) writer.write(numbered(i));
  }
  EXPECT_THAT(names_in(folder), ElementsAre());
}

TEST(TfrecordWriter, RejectsNumbersBeyondInt64) {
  const TemporaryFolder folder;
  TfrecordWriter writer((folder / "a").string());
  Example example;
  example.set("n", Tensor({1}, {UINT64_MAX}));
  EXPECT_THAT(message_of<DataError>([&] { writer.write(example); }), HasSubstr("uint64[1] in column 'n'"));
}

TEST(TfrecordWriter, AFailedWriteDoesNotChangeTheNextRecord) {
  const TemporaryFolder folder;
  TfrecordWriter writer((folder / "a").string());
  Example refused;
  refused.set("label", "1").set("n", Tensor({1}, {UINT64_MAX}));
  EXPECT_THROW(writer.write(refused), DataError);
  writer.write(numbered(5));
  writer.commit();
  const Example read = *read_tfrecord(writer.files()[0]).iterate().next();
  EXPECT_EQ(read.text("n"), "5");
  EXPECT_EQ(read.columns().size(), 1u);
}

TEST(TfrecordWriter, CommitsAllFilesOrNone) {
  const TemporaryFolder folder;
  write_text(folder / "a-0", "older");
  write_text(folder / "a-0.index", "older");
  TfrecordWriter writer((folder / "a-{shard}").string(), {.shards = 2, .index = false});
  for (int i = 0; i < 1000; ++i) writer.write(numbered(i));
  std::filesystem::create_directories(folder / "a-1" / "in the way");
  EXPECT_THROW(writer.commit(), Error);
  EXPECT_EQ(text_of(folder / "a-0") + text_of(folder / "a-0.index"), "olderolder");
  std::filesystem::remove_all(folder / "a-1");
}

TEST(IndexTfrecord, CountsAndFindsAnyRecord) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a").string();
  TfrecordWriter writer(file, {.index = false});
  for (int i = 0; i < 9; ++i) writer.write(numbered(i));
  writer.commit();
  EXPECT_EQ(index_tfrecord(file), 9);
  EXPECT_THAT(names_in(folder), ElementsAre("a", "a.index"));
  EXPECT_EQ(read_tfrecord(file).count(), 9);
}

TEST(IndexTfrecord, OfAnotherFileIsAnError) {
  const TemporaryFolder folder;
  const std::string file = (folder / "a").string();
  TfrecordWriter writer(file);
  for (int i = 0; i < 9; ++i) writer.write(numbered(i));
  writer.commit();
  write_text(file, text_of(file) + "x");
  EXPECT_THAT(message_of<DataError>([&] { read_tfrecord(file); }), HasSubstr("portatune tfrecord index " + file));
}

TEST(IndexTfrecord, LongRecordsAreErrorsInAnyOrder) {
  const TemporaryFolder folder;
  TfrecordWriter writer((folder / "a").string());
  Example example;
  writer.write(example.set("text", std::string(1000, 'x')));
  writer.commit();
  const Dataset rows = read_tfrecord(writer.files()[0], {.max_record_bytes = 1000});
  for (const Dataset& order : {rows, rows.shuffle({.seed = 1})}) {
    EXPECT_THAT(message_of<DataError>([&] { order.iterate().next(); }), HasSubstr("at most 1000 bytes"));
  }
}

}  // namespace portatune::data
