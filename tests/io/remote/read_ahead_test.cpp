#include "portatune/io/remote/read_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <vector>

namespace portatune::io {
namespace {

constexpr int64_t kBlock = kReadAheadBlock;

char byte_at(int64_t offset) { return static_cast<char>(offset * 2654435761u >> 13); }

// A file whose bytes are computed from their offsets. It records the reads.
class Computed final : public RandomAccessFile {
 public:
  explicit Computed(int64_t size) : size_(size) {}
  int64_t size() const override { return size_; }
  std::optional<std::string> identity() const override { return "id"; }
  size_t read_at(int64_t offset, std::span<char> target) const override {
    const std::lock_guard lock(mutex_);
    offsets_.push_back(offset);
    largest_ = std::max(largest_, target.size());
    size_t done = 0;
    for (; done < target.size() && offset < size_; ++done) target[done] = byte_at(offset++);
    return done;
  }
  std::multiset<int64_t> offsets() const {
    const std::lock_guard lock(mutex_);
    return {offsets_.begin(), offsets_.end()};
  }
  size_t largest() const { return largest_; }

 private:
  int64_t size_;
  mutable std::mutex mutex_;
  mutable std::vector<int64_t> offsets_;
  mutable size_t largest_ = 0;
};

struct Read {
  std::shared_ptr<const Computed> file;
  std::shared_ptr<const RandomAccessFile> blocks = read_ahead(file);

  explicit Read(int64_t size) : file(std::make_shared<const Computed>(size)) {}

  void expect_bytes(int64_t offset, size_t bytes, size_t there) const {
    std::string found(bytes, '?');
    ASSERT_EQ(blocks->read_at(offset, found), there);
    for (size_t i = 0; i < there; ++i)
      ASSERT_EQ(found[i], byte_at(offset + static_cast<int64_t>(i))) << offset << " " << i;
  }
};

TEST(ReadAheadTest, HasTheBytesOfTheFile) {
  const Read read(3 * kBlock + 5);
  EXPECT_EQ(read.blocks->size(), 3 * kBlock + 5);
  EXPECT_EQ(read.blocks->identity(), "id");
  read.expect_bytes(0, 4, 4);
  read.expect_bytes(kBlock - 3, 6, 6);
  read.expect_bytes(10, static_cast<size_t>(2 * kBlock), static_cast<size_t>(2 * kBlock));
  read.expect_bytes(3 * kBlock, 100, 5);
  read.expect_bytes(3 * kBlock + 5, 100, 0);
}

TEST(ReadAheadTest, EachBlockIsFetchedOnceInOrder) {
  const Read read(8 * kBlock);
  for (int64_t at = 0; at < 8 * kBlock; at += 1 << 20) read.expect_bytes(at, 1000, 1000);
  std::multiset<int64_t> all;
  for (int64_t block = 0; block < 8; ++block) all.insert(block * kBlock);
  EXPECT_EQ(read.file->offsets(), all);
  EXPECT_EQ(read.file->largest(), static_cast<size_t>(kBlock));
}

TEST(ReadAheadTest, SequentialReadingFetchesTheNextBlock) {
  const Read read(9 * kBlock);
  read.expect_bytes(0, 1000, 1000);
  read.expect_bytes(5 * kBlock, 1, 1);
  read.blocks.get();
  EXPECT_THAT(read.file->offsets(), testing::Contains(5 * kBlock));
  EXPECT_THAT(read.file->offsets(), testing::Not(testing::Contains(6 * kBlock)));
  read.expect_bytes(6 * kBlock, 1, 1);
  read.expect_bytes(7 * kBlock, 1, 1);  // waits for the block
  EXPECT_EQ(read.file->offsets().count(7 * kBlock), 1u);
}

TEST(ReadAheadTest, TheFirstBytesNeedNoBlock) {
  const Read read(9 * kBlock);
  read.expect_bytes(0, 12, 12);
  EXPECT_EQ(read.file->largest(), 12u);
}

// The columns of a table are at distant offsets and are read in turn.
TEST(ReadAheadTest, AFewOffsetsMayBeReadInTurn) {
  const Read read(40 * kBlock);
  for (int64_t at = 0; at < kBlock; at += 1 << 18) {
    for (const int64_t begin : {10, 20, 30}) read.expect_bytes(begin * kBlock + at, 1000, 1000);
  }
  EXPECT_EQ(read.file->offsets(), (std::multiset<int64_t>{10 * kBlock, 20 * kBlock, 30 * kBlock}));
}

}  // namespace
}  // namespace portatune::io
