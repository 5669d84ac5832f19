// Files that need far more memory than available: a clear error, or skipped rows, within 512 MB.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/limited_memory.h"
#include "data_stages/numbers.h"
#include "io/temporary_folder.h"
#include "portatune/error.h"
#include "portatune/io/plugin/arrow_table.h"
#include "portatune/io/tfrecord/tfrecord_frame.h"
#include "portatune/sources.h"

namespace portatune::data {
namespace {

constexpr int64_t kMemory = int64_t{512} << 20, kGigabyte = int64_t{1} << 30;

class BoundedMemoryDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!kMemoryCanBeLimited) GTEST_SKIP() << "memory cannot be limited here";
  }

  // A file with `begin`, a line of a gigabyte, and `end`. The line is a hole, which needs no space on the disk.
  std::string with_long_line(const std::string& name, const std::string& begin, const std::string& end) const {
    const std::string path = (folder_ / name).string();
    write_text(path, begin);
    const int file = open(path.c_str(), O_WRONLY);
    EXPECT_EQ(pwrite(file, end.data(), end.size(), kGigabyte), std::ssize(end));
    close(file);
    return path;
  }

  const TemporaryFolder folder_;
};

// Returns whether a pass over `dataset` ends with a DataError that contains all of `parts`.
bool is_rejected(const Dataset& dataset, std::initializer_list<const char*> parts) {
  try {
    dataset.count();
  } catch (const DataError& error) {
    const std::string_view message = error.what();
    return std::ranges::all_of(parts, [&](const char* part) { return message.find(part) != message.npos; });
  }
  return false;
}

TEST_F(BoundedMemoryDeathTest, ALineOfAGigabyteIsAnError) {
  for (const char* name : {"t.jsonl", "t.txt"}) {
    const std::string path = with_long_line(name, "{\"n\":0}\n", "\n{\"n\":1}\n");
    const auto read = [&] { return is_rejected(read_table(path), {":2", "a line of more than 67108864 bytes"}); };
    EXPECT_EXIT(exit_after(kMemory, read), testing::ExitedWithCode(0), "") << name;
  }
  for (const char* name : {"t.csv", "t.tsv"}) {
    const std::string path = with_long_line(name, "n\n0\n", "\n1\n");
    const auto read = [&] { return is_rejected(read_table(path), {":3", "a field of more than 16,777,216 bytes"}); };
    EXPECT_EXIT(exit_after(kMemory, read), testing::ExitedWithCode(0), "") << name;
  }
}

TEST_F(BoundedMemoryDeathTest, ALineOfAGigabyteIsSkipped) {
  const std::string path = with_long_line("t.jsonl", "{\"n\":0}\n", "\n{\"n\":1}\n");
  const auto read = [&] {
    const auto bad_rows = std::make_shared<BadRows>(1);
    return collect(read_jsonl(path).skip_bad_rows(bad_rows)) == std::vector{0, 1} && bad_rows->count() == 1;
  };
  EXPECT_EXIT(exit_after(kMemory, read), testing::ExitedWithCode(0), "");
}

int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

// A file of 344 bytes, with a list of 2^31 - 1 nulls.
TEST_F(BoundedMemoryDeathTest, AnArrowFileWithGigabytesOfJsonIsAnError) {
  if (!std::filesystem::exists(PORTATUNE_ARROW_PLUGIN_FILE)) GTEST_SKIP() << "no plug-in for Arrow";
  setenv("PORTATUNE_ARROW_PLUGIN", PORTATUNE_ARROW_PLUGIN_FILE, 1);
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new process: Arrow's memory is limited once in each
  const auto read = [] {
    constexpr int64_t kArrow = int64_t{64} << 20;
    io::ArrowTable table(PORTATUNE_TEST_DATA "/arrow/nulls.arrow", kArrow);
    table.select({0});
    const int64_t before = peak_bytes();
    try {
      table.next();
    } catch (const DataError& error) {
      const bool is_reported =
          std::string_view(error.what()).find("more memory than 67108864 bytes") != std::string::npos;
      return is_reported && peak_bytes() - before < 2 * kArrow;
    }
    return false;
  };
  EXPECT_EXIT(exit_after(2 * kGigabyte, read), testing::ExitedWithCode(0), "");
}

// The record has a permitted length and a correct checksum.
TEST_F(BoundedMemoryDeathTest, ARecordThatClaimsAGigabyteIsAnError) {
  const std::string path = (folder_ / "t.tfrecord").string();
  write_text(path, io::record_header(kGigabyte) + "x");
  const auto read = [&] { return is_rejected(read_tfrecord(path), {"t.tfrecord:1", "ends 13 bytes into"}); };
  EXPECT_EXIT(exit_after(kMemory, read), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace portatune::data
