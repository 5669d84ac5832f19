#include "portatune/io/remote/read_ahead.h"

#include <algorithm>
#include <future>
#include <list>
#include <mutex>
#include <vector>

#include "portatune/base/threads/stop.h"

namespace portatune::io {
namespace {

// Reads of the first bytes do not fetch a block: the answer that opens a remote file already contains these bytes.
constexpr int64_t kGlance = 64;

class ReadAhead final : public RandomAccessFile {
 public:
  explicit ReadAhead(std::shared_ptr<const RandomAccessFile> file) : file_(std::move(file)) {}

  int64_t size() const override { return file_->size(); }
  std::optional<std::string> identity() const override { return file_->identity(); }

  size_t read_at(int64_t offset, std::span<char> target) const override {
    if (offset + std::ssize(target) <= kGlance) return file_->read_at(offset, target);
    size_t done = 0;
    while (done < target.size() && offset < size()) {
      const Bytes bytes = block(offset / kReadAheadBlock).get();
      const auto begin = static_cast<size_t>(offset % kReadAheadBlock);
      const size_t count = std::min(bytes->size() - begin, target.size() - done);
      std::copy_n(bytes->begin() + static_cast<std::ptrdiff_t>(begin), count,
                  target.begin() + static_cast<std::ptrdiff_t>(done));
      done += count;
      offset += static_cast<int64_t>(count);
    }
    return done;
  }

 private:
  using Bytes = std::shared_ptr<const std::vector<char>>;
  struct Block {
    int64_t number;
    std::shared_future<Bytes> bytes;
  };

  std::shared_future<Bytes> block(int64_t number) const {
    const std::lock_guard lock(mutex_);
    const bool follows = number == 0 || has(number - 1);
    std::shared_future<Bytes> wanted = fetched(number);
    if (follows && (number + 1) * kReadAheadBlock < size()) fetched(number + 1);
    return wanted;
  }

  bool has(int64_t number) const { return std::ranges::find(blocks_, number, &Block::number) != blocks_.end(); }

  // The future of a block, fetched if needed. The block becomes the last to be dropped.
  std::shared_future<Bytes> fetched(int64_t number) const {
    const auto found = std::ranges::find(blocks_, number, &Block::number);
    if (found != blocks_.end()) {
      blocks_.splice(blocks_.end(), blocks_, found);
    } else {
      if (blocks_.size() == kReadAheadBlocks) blocks_.pop_front();
      blocks_.push_back({number, std::async(std::launch::async, with_current_stop([file = file_, number] {
                                              return fetch(*file, number);
                                            }))});
    }
    return blocks_.back().bytes;
  }

  static Bytes fetch(const RandomAccessFile& file, int64_t number) {
    const int64_t begin = number * kReadAheadBlock;
    std::vector<char> bytes(static_cast<size_t>(std::min(kReadAheadBlock, file.size() - begin)));
    file.read_at(begin, bytes);
    return std::make_shared<const std::vector<char>>(std::move(bytes));
  }

  const std::shared_ptr<const RandomAccessFile> file_;
  mutable std::mutex mutex_;
  mutable std::list<Block> blocks_;  // ordered by last use, most recent at the end
};

}  // namespace

std::shared_ptr<const RandomAccessFile> read_ahead(std::shared_ptr<const RandomAccessFile> file) {
  return std::make_shared<const ReadAhead>(std::move(file));
}

}  // namespace portatune::io
