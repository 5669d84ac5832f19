// Python's gzip and Arrow's zstd made tests/data/compressed: tests/oracle/data/make_compressed_tables.py.
#include "portatune/io/compress/decompress.h"

#include <gtest/gtest.h>

#include "io/table_file.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

std::string golden(const std::string& name) { return std::string(PORTATUNE_TEST_DATA "/compressed/") + name; }

std::string expected_csv() {
  std::string text = "text,label\n";
  for (int i = 0; i < 1000; ++i) text += "row " + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  return text;
}

std::string expected_lines() {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += "{\"text\": \"row " + std::to_string(i) + "\", \"label\": " + std::to_string(i % 2) + "}\n";
  }
  return text;
}

constexpr int64_t kLimit = 10'000'000;

// The decompressed content of a file with these bytes.
std::string read_bytes(const std::string& bytes) { return read_decompressed(write_file("bytes", bytes), kLimit); }

TEST(Decompress, LeavesOtherFilesUnchanged) {
  EXPECT_EQ(read_bytes(""), "");
  EXPECT_EQ(read_bytes("\x1f"), "\x1f");
  EXPECT_EQ(read_bytes(std::string("(\xb5 no zstd")), "(\xb5 no zstd");
  const std::string large(3'000'001, 'x');
  EXPECT_EQ(read_bytes(large), large);
}

TEST(Decompress, DecompressesGzipUnderAnyName) {
  EXPECT_EQ(read_decompressed(golden("table.csv.gz"), kLimit), expected_csv());
  EXPECT_EQ(read_bytes(text_of(golden("table.csv.gz"))), expected_csv());
}

TEST(Decompress, AcceptsSeveralGzipMembersAndZeros) {
  EXPECT_EQ(read_decompressed(golden("members.csv.gz"), kLimit), expected_csv());
  EXPECT_EQ(read_decompressed(golden("padded.csv.gz"), kLimit), expected_csv());
}

TEST(Decompress, AcceptsSeveralZstdFrames) {
  EXPECT_EQ(read_decompressed(golden("table.jsonl.zst"), kLimit), expected_lines());
  EXPECT_EQ(read_decompressed(golden("frames.jsonl.zst"), kLimit), expected_lines());
}

TEST(Decompress, ReadsIntoTargetsOfAnySize) {
  for (const char* name : {"members.csv.gz", "frames.jsonl.zst"}) {
    const std::unique_ptr<ByteSource> input = open_decompressed(golden(name));
    std::string text, target(7, '\0');
    while (const size_t count = input->read(target)) text.append(target, 0, count);
    EXPECT_EQ(text, read_decompressed(golden(name), kLimit)) << name;
  }
}

// A cut file is never taken for a complete one, except for a cut between members.
TEST(Decompress, ACutFileIsAnErrorWithItsOffset) {
  for (const char* name : {"table.csv.gz", "table.jsonl.zst"}) {
    const std::string whole = text_of(golden(name));
    for (size_t size = 4; size < whole.size(); size += 17) {
      const std::string offset = "byte offset " + std::to_string(size);
      expect_error<DataError>([&] { read_bytes(whole.substr(0, size)); },
                              {offset.c_str(), "ends within its compressed data"});
    }
  }
}

// gzip has a checksum. zstd may have one, but Arrow writes none, so a flipped byte may only change the content.
TEST(Decompress, ADamagedFileIsAnErrorOrHasOtherContent) {
  const std::string gzip = text_of(golden("table.csv.gz")), zstd = text_of(golden("table.jsonl.zst"));
  for (size_t at = 10; at < gzip.size(); at += 23) {
    std::string damaged = gzip;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    expect_error<DataError>([&] { read_bytes(damaged); }, {"byte offset"});
  }
  for (size_t at = 4; at < zstd.size(); at += 23) {
    std::string damaged = zstd;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    try {
      read_bytes(damaged);
    } catch (const DataError&) {
    }
  }
}

TEST(Decompress, OtherDataAfterGzipIsAnError) {
  expect_error<DataError>([] { read_bytes(text_of(golden("table.csv.gz")) + "text"); },
                          {"byte offset", "complete gzip"});
}

TEST(Decompress, ContentBeyondTheLimitIsAnError) {
  expect_error<DataError>([] { read_decompressed(golden("long_line.txt.zst"), 1 << 20); }, {"more than 1048576 bytes"});
}

TEST(Decompress, AMissingFileIsNotFound) { EXPECT_THROW(open_decompressed("/nowhere/table.csv.gz"), NotFoundError); }

}  // namespace
}  // namespace portatune::io
