#include "portatune/io/tfrecord/tfrecord_index.h"

#include <gmock/gmock.h>

#include "io/tfrecord_cases.h"

namespace portatune::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Index : public testing::Test {
 protected:
  std::string index_bytes() const { return text_of(index_path(file_)); }
  std::optional<TfrecordIndex> open_if_there() const {
    return TfrecordIndex::open(file_, static_cast<int64_t>(std::filesystem::file_size(file_)));
  }
  TfrecordIndex open() const { return *open_if_there(); }

  const TemporaryFolder folder_;
  const std::string file_ = (folder_ / "a").string();
};

TEST_F(Index, HasTheOffsetsOfRecords) {
  write_records(file_, {"x", "", "yz"}, {.index = true});
  const TfrecordIndex index = open();
  EXPECT_EQ(index.records(), 3);
  EXPECT_EQ(index.position(0), (RecordPosition{0, 0}));
  EXPECT_EQ(index.position(1), (RecordPosition{1, 17}));
  EXPECT_EQ(index.position(2), (RecordPosition{2, 33}));
  EXPECT_EQ(index.position(3), (RecordPosition{3, 51}));
  EXPECT_TRUE(index.gives_access());
}

// The layout is that of tfrecord_index.h, except for the checksum.
TEST_F(Index, HasTheDocumentedBytes) {
  write_records(file_, {"x", "yz"}, {.index = true});
  const auto number = [](int value) { return std::string(1, static_cast<char>(value)) + std::string(7, '\0'); };
  const std::string bytes = index_bytes();
  EXPECT_EQ(bytes.substr(0, 44), number(0) + number(17) + number(2) + number(35) + number(35) + std::string(4, '\0'));
  EXPECT_EQ(bytes.substr(48), "PTFIDX01");
}

TEST_F(Index, OfAnExistingFileIsTheSame) {
  for (const bool gzip : {false, true}) {
    write_records(file_, std::vector<std::string>(20'000, "x"), {.gzip = gzip, .index = true});
    const std::string written = index_bytes();
    std::filesystem::remove(index_path(file_));
    EXPECT_EQ(make_index(file_), 20'000);
    EXPECT_EQ(index_bytes(), written);
    EXPECT_EQ(open().gives_access(), !gzip);
    EXPECT_EQ(open().records(), 20'000);
  }
}

TEST_F(Index, MayBeMissing) {
  write_records(file_, {"x"});
  EXPECT_FALSE(open_if_there().has_value());
}

TEST_F(Index, OfAnotherFileIsAnError) {
  write_records(file_, {"x", "y"}, {.index = true});
  const std::string index = index_bytes();
  write_records(file_, {"x"});
  write_text(index_path(file_), index);
  EXPECT_THAT(message_of<DataError>([&] { open(); }),
              testing::AllOf(HasSubstr("a file of 34 bytes"), HasSubstr("17 bytes, the size of"),
                             HasSubstr("portatune tfrecord index")));
}

TEST_F(Index, AdviceIsACommandThatAShellCanRun) {
  EXPECT_EQ(advice_to_index("train.tfrecord"), "build it again: portatune tfrecord index train.tfrecord");
  EXPECT_THAT(advice_to_index("my data.tfrecord"), HasSubstr("portatune tfrecord index 'my data.tfrecord'"));
  EXPECT_THAT(advice_to_index("s3://bucket/a.tfrecord"), HasSubstr("a local copy"));
}

TEST_F(Index, DamageIsAnError) {
  write_records(file_, {"x", "y"}, {.index = true});
  const std::string index = index_bytes();
  for (size_t at = 0; at < index.size(); ++at) {
    std::string damaged = index;
    damaged[at] ^= 1;
    write_text(index_path(file_), damaged);
    EXPECT_THROW(open(), DataError) << at;
  }
  for (const size_t size : {size_t{0}, size_t{39}, index.size() - 1}) {
    write_text(index_path(file_), index.substr(0, size));
    EXPECT_THROW(open(), DataError) << size;
  }
}

// The checksum is valid, as in a malicious index.
TEST_F(Index, MustHavePossibleOffsets) {
  write_records(file_, {"x", "", "yz"});  // at 0, 17, 33, to 51
  const auto refused = [&](const std::vector<int64_t>& offsets, int64_t end, bool is_compressed = false) {
    write_index(file_, offsets, end, 51, is_compressed);
    return message_of<DataError>([&] { open(); });
  };
  EXPECT_THAT(refused({1, 17, 33}, 51),
              AllOf(HasSubstr("record 1 at byte offset 1"), HasSubstr("the first record at byte offset 0")));
  EXPECT_THAT(refused({0, 15, 33}, 51), AllOf(HasSubstr("record 2 at byte offset 15"), HasSubstr("16 bytes after 0")));
  EXPECT_THAT(refused({0, 17, -33}, 51), HasSubstr("record 3 at byte offset -33"));
  EXPECT_THAT(refused({0, 33, 17}, 51), HasSubstr("record 3 at byte offset 17"));
  EXPECT_THAT(refused({0, 17, 40}, 51), HasSubstr("an end at byte offset 51"));
  EXPECT_THAT(refused({0, INT64_MAX, INT64_MIN}, 51), HasSubstr("record 3 at byte offset -9223372036854775808"));
  EXPECT_THAT(refused({0, 17, 33}, 50), AllOf(HasSubstr("up to byte offset 50"), HasSubstr("up to byte offset 51")));
  EXPECT_THAT(refused({}, 51), HasSubstr("an end at byte offset 51"));
  EXPECT_THAT(refused({0, 17, 33}, 40, true), HasSubstr("an end at byte offset 40"));
  write_index(file_, {0, 17, 33}, 51, 51);
  EXPECT_EQ(open().records(), 3);
}

TEST_F(Index, IsComparedWithTheRecords) {
  write_records(file_, {"x", "", "yz"}, {.index = true});
  for (const RecordPosition found : {RecordPosition{0, 0}, RecordPosition{2, 33}, RecordPosition{3, 51}}) {
    EXPECT_NO_THROW(open().require(file_, found));
  }
  EXPECT_THAT(message_of<DataError>([&] {
                open().require(file_, {1, 16});
              }),
              AllOf(HasSubstr("record 2 at byte offset 17"), HasSubstr("16, as in")));
  EXPECT_THAT(message_of<DataError>([&] {
                open().require(file_, {4, 51});
              }),
              AllOf(HasSubstr("an index of 3 records"), HasSubstr("at least 4 records, as in")));
}

TEST_F(Index, IsNotWrittenForADamagedFile) {
  write_records(file_, {"x", "y"});
  write_text(file_, text_of(file_).substr(0, 30));
  EXPECT_THROW(make_index(file_), DataError);
  EXPECT_FALSE(std::filesystem::exists(index_path(file_)));
}

}  // namespace
}  // namespace portatune::io
