#include "portatune/io/tfrecord/tfrecord_reader.h"

#include <gmock/gmock.h>

#include "io/tfrecord_cases.h"

namespace portatune::io {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// The outcome for each record of a file: its text or its error.
std::vector<std::string> outcomes(const std::string& file) {
  TfrecordReader reader(file);
  std::vector<std::string> outcomes;
  for (;;) {
    try {
      const auto record = reader.next();
      if (!record) return outcomes;
      outcomes.emplace_back(*record);
    } catch (const DataError& error) {
      outcomes.push_back("error: " + error.report().given);
    }
  }
}

TEST(TfrecordReader, ReadsPlainAndCompressedFilesOfTensorFlow) {
  const std::vector<std::string> records = records_of(kTfrecordData / "examples.tfrecord");
  EXPECT_EQ(records.size(), 6u);
  EXPECT_EQ(records_of(kTfrecordData / "examples.tfrecord.gz"), records);
  EXPECT_EQ(records_of(kTfrecordData / "examples.tfrecord.zlib"), records);
}

TEST(TfrecordReader, ReadsFilesThatArrowCompressed) {
  EXPECT_EQ(records_of(PORTATUNE_TEST_DATA "/compressed/examples.tfrecord.zst"),
            records_of(kTfrecordData / "examples.tfrecord"));
}

TEST(TfrecordReader, HasThePositionOfTheNextRecord) {
  const TemporaryFolder folder;
  write_records(folder / "a", {"x", "", "yz"});
  TfrecordReader reader((folder / "a").string());
  EXPECT_EQ(reader.position(), (RecordPosition{0, 0}));
  reader.next();
  EXPECT_EQ(reader.position(), (RecordPosition{1, 17}));
  reader.next();
  EXPECT_EQ(reader.position(), (RecordPosition{2, 33}));
}

// The length of the record begins like a gzip file: 1F 8B 08 and zeros.
TEST(TfrecordReader, RecordWhoseLengthLooksLikeGzipIsARecord) {
  const TemporaryFolder folder;
  const std::string record(0x088B1F, 'x');
  write_records(folder / "a", {record, "y"});
  EXPECT_EQ(records_of(folder / "a"), (std::vector{record, std::string("y")}));
}

TEST(TfrecordReader, RecordsMayBeLongerThanABlock) {
  const TemporaryFolder folder;
  const std::vector<std::string> records = {std::string(100'000, 'a'), std::string(2'000'000, 'b'), "c",
                                            std::string(262'128, 'd'), std::string(300'000, 'e')};
  write_records(folder / "plain", records);
  write_records(folder / "gzip", records, {.gzip = true, .index = false});
  EXPECT_EQ(records_of(folder / "plain"), records);
  EXPECT_EQ(records_of(folder / "gzip"), records);
}

TEST(TfrecordReader, EmptyFileHasNoRecords) {
  const TemporaryFolder folder;
  write_text(folder / "a", "");
  EXPECT_THAT(records_of(folder / "a"), ElementsAre());
}

TEST(TfrecordReader, SkipsAndSeeks) {
  const TemporaryFolder folder;
  std::vector<std::string> records;
  for (int i = 0; i < 1000; ++i) records.push_back(std::string(static_cast<size_t>(i), 'a') + std::to_string(i));
  write_records(folder / "plain", records);
  write_records(folder / "gzip", records, {.gzip = true, .index = false});
  for (const std::string name : {"plain", "gzip"}) {
    TfrecordReader reader((folder / name).string());
    EXPECT_EQ(reader.skip(10), 10);
    EXPECT_EQ(reader.next(), records[10]);
    const RecordPosition here = reader.position();
    EXPECT_EQ(reader.skip(900), 900);
    EXPECT_EQ(reader.next(), records[911]);
    EXPECT_EQ(reader.skip(1000), 88);
    EXPECT_EQ(reader.next(), std::nullopt);
    TfrecordReader another((folder / name).string());
    another.seek(here);
    EXPECT_EQ(another.next(), records[11]);
    EXPECT_EQ(another.position().record, 12);
  }
}

TEST(TfrecordReader, RefusesToSeekBackwards) {
  const TemporaryFolder folder;
  write_records(folder / "a", {"x", "y"});
  TfrecordReader reader((folder / "a").string());
  reader.next();
  EXPECT_THAT(message_of<UsageError>([&] { reader.seek({0, 0}); }), HasSubstr("at least 17"));
  EXPECT_EQ(reader.next(), "y");
}

// The record between two others is at bytes 17 to 37: length 8, its CRC 4, record 4, its CRC 4.
TEST(TfrecordReader, EveryDamagedByteIsAnError) {
  const TemporaryFolder folder;
  write_records(folder / "a", {"x", "good", "y"});
  const std::string whole = text_of(folder / "a");
  ASSERT_EQ(whole.size(), 17u + 20 + 17);
  for (size_t at = 17; at < 37; ++at) {
    std::string bytes = whole;
    bytes[at] ^= 1;
    write_text(folder / "b", bytes);
    if (at < 29) {
      EXPECT_THAT(outcomes((folder / "b").string()),
                  ElementsAre("x", AllOf(HasSubstr("length with a wrong checksum"), HasSubstr("at byte offset 17"))));
    } else {
      EXPECT_THAT(outcomes((folder / "b").string()),
                  ElementsAre("x", HasSubstr("a record with a wrong checksum"), "y"));
    }
  }
}

TEST(TfrecordReader, EveryTruncationIsAnError) {
  const TemporaryFolder folder;
  write_records(folder / "a", {"x", "good"});
  const std::string whole = text_of(folder / "a");
  for (size_t size = 18; size < whole.size(); ++size) {
    write_text(folder / "b", whole.substr(0, size));
    EXPECT_THAT(outcomes((folder / "b").string()),
                ElementsAre("x", HasSubstr("ends " + std::to_string(size - 17) + " bytes into the record")));
  }
  write_text(folder / "b", whole.substr(0, 17));
  EXPECT_THAT(outcomes((folder / "b").string()), ElementsAre("x"));
}

TEST(TfrecordReader, NamesFileRecordAndOffset) {
  const TemporaryFolder folder;
  write_records(folder / "a", {"x", "y"});
  write_text(folder / "a", text_of(folder / "a").substr(0, 20));
  TfrecordReader reader((folder / "a").string());
  reader.next();
  EXPECT_THAT(message_of<DataError>([&] { reader.next(); }),
              AllOf(HasSubstr("/a:2\n"), HasSubstr("at byte offset 17"), HasSubstr("writer was not closed")));
  EXPECT_TRUE(reader.rest_is_lost());
  EXPECT_EQ(reader.next(), std::nullopt);
}

TEST(TfrecordReader, LongRecordsAreRefusedBeforeAllocation) {
  const TemporaryFolder folder;
  write_text(folder / "a", record_header(uint64_t{1} << 62));
  EXPECT_THAT(message_of<DataError>([&] { records_of(folder / "a"); }), HasSubstr("4611686018427387904 bytes"));
  write_text(folder / "b", record_header(1'000'000'000) + "x");
  EXPECT_THAT(message_of<DataError>([&] { records_of(folder / "b"); }), HasSubstr("ends 13 bytes into"));
  write_records(folder / "c", {"four"});
  TfrecordReader reader((folder / "c").string(), 3);
  EXPECT_THAT(message_of<DataError>([&] { reader.next(); }), HasSubstr("at most 3 bytes"));
}

TEST(TfrecordReader, OtherFilesAreRefused) {
  const TemporaryFolder folder;
  write_text(folder / "a", "sentence,label\ngood,1\n");
  EXPECT_THAT(message_of<DataError>([&] { records_of(folder / "a"); }),
              HasSubstr("check that this is a TFRecord file"));
  EXPECT_THROW(records_of(folder / "none"), NotFoundError);
  EXPECT_THROW(records_of(folder.path()), IoError);
}

TEST(TfrecordReader, SkippingDetectsATruncation) {
  const TemporaryFolder folder;
  write_records(folder / "a", {"x", "good"});
  write_text(folder / "a", text_of(folder / "a").substr(0, 30));
  TfrecordReader reader((folder / "a").string());
  EXPECT_THROW(reader.skip(2), DataError);
}

TEST(ReadRecord, ReturnsTheRecordAtThePosition) {
  const TemporaryFolder folder;
  const std::string path = (folder / "a").string();
  write_records(path, {"x", "good", "y"});
  const auto opened = open_random_access(path);
  const RandomAccessFile& file = *opened;
  std::string buffer;
  EXPECT_EQ(read_record(file, path, {1, 17}, 37, kMaxRecordBytes, buffer), "good");
  EXPECT_EQ(read_record(file, path, {0, 0}, 17, kMaxRecordBytes, buffer), "x");
  EXPECT_THROW(read_record(file, path, {1, 16}, 37, kMaxRecordBytes, buffer), DataError);
  EXPECT_THAT(message_of<DataError>([&] {
                read_record(file, path, {1, 17}, 38, kMaxRecordBytes, buffer);
              }),
              HasSubstr("5 bytes, as in the index"));
  EXPECT_THROW(read_record(file, path, {2, 37}, 60, kMaxRecordBytes, buffer), DataError);
  EXPECT_EQ(read_record(file, path, {1, 17}, 37, 4, buffer), "good");
  EXPECT_THAT(message_of<DataError>([&] {
                read_record(file, path, {1, 17}, 37, 3, buffer);
              }),
              HasSubstr("at most 3 bytes"));
}

}  // namespace
}  // namespace portatune::io
