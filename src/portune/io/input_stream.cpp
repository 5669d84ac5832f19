#include "portune/io/input_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "portune/base/file_descriptor.h"
#include "portune/io/decompressor.h"

namespace portune::io {
namespace {

class FileStream final : public InputStream {
 public:
  explicit FileStream(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")) {
    if (file_ != nullptr) {
      std::setbuf(file_.get(), nullptr);  // whoever reads this has a buffer
      return;
    }
    if (errno == ENOENT) throw NotFoundError({.where = path_, .given = "no such file", .expected = "a file with data"});
    throw_system_error("open", path_, errno);
  }

  size_t read(std::span<char> target) override {
    const size_t count = std::fread(target.data(), 1, target.size(), file_.get());
    if (std::ferror(file_.get()) != 0) throw_system_error("read", path_, errno);
    return count;
  }

  void seek(int64_t offset) override {
    if (fseeko(file_.get(), offset, SEEK_SET) != 0) throw_system_error("seek in", path_, errno);
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

// Looks at the first bytes when they are wanted: opening a file does not wait for them.
class Input final : public InputStream {
 public:
  explicit Input(const std::string& path) : bytes_(path) {}

  size_t read(std::span<char> target) override {
    if (!looked_) look();
    if (decompressor_) return decompressor_->read(bytes_, target);
    const std::string_view bytes = bytes_.bytes();
    const size_t count = std::min(bytes.size(), target.size());
    std::copy_n(bytes.begin(), count, target.begin());
    bytes_.take(count);
    return count;
  }

  void seek(int64_t offset) override {
    bytes_.seek(0);
    look();
    if (decompressor_) {
      pass_over(offset);
    } else {
      bytes_.seek(offset);
    }
  }

 private:
  void look() {
    decompressor_ = decompressor_for(bytes_.bytes(kZstdMagic.size()));
    looked_ = true;
  }

  void pass_over(int64_t count) {
    std::vector<char> passed(64 * 1024);
    while (count > 0) {
      const size_t wanted = std::min(passed.size(), static_cast<size_t>(count));
      const size_t read_now = read(std::span(passed).first(wanted));
      if (read_now == 0) return;
      count -= static_cast<int64_t>(read_now);
    }
  }

  BlockReader bytes_;
  bool looked_ = false;
  std::unique_ptr<Decompressor> decompressor_;  // null for bytes that are not compressed
};

}  // namespace

BlockReader::BlockReader(std::string path)
    : path_(std::move(path)), stream_(std::make_unique<FileStream>(path_)), block_(kBlock) {}

std::string_view BlockReader::bytes(size_t wanted) {
  if (end_ - begin_ < wanted) {
    std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
    block_offset_ += static_cast<int64_t>(begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  while (end_ - begin_ < wanted) {
    const size_t count = stream_->read(std::span(block_).subspan(end_));
    if (count == 0) break;
    end_ += count;
  }
  return {block_.data() + begin_, end_ - begin_};
}

void BlockReader::seek(int64_t offset) {
  stream_->seek(offset);
  begin_ = end_ = 0;
  block_offset_ = offset;
}

DataError BlockReader::error(std::string given, std::string expected, std::string fix) const {
  return DataError({.where = path_ + ", byte offset " + std::to_string(offset()),
                    .given = std::move(given),
                    .expected = std::move(expected),
                    .fix = std::move(fix)});
}

std::unique_ptr<Decompressor> decompressor_for(std::string_view first_bytes) {
  if (first_bytes.starts_with(kGzipMagic)) return gzip_decompressor();
  if (first_bytes.starts_with(kZstdMagic)) return zstd_decompressor();
  return nullptr;
}

DataError cut_stream(const BlockReader& compressed, std::string_view format) {
  return compressed.error("the end of the file, in the midst of " + std::string(format) + " data", "the rest of them",
                          "the file has been cut, or is still being written: fetch or compress it anew");
}

std::unique_ptr<InputStream> open_input(const std::string& path) { return std::make_unique<Input>(path); }

std::string read_input(const std::string& path, int64_t limit_bytes) {
  constexpr size_t kBlock = 1 << 20;
  const std::unique_ptr<InputStream> input = open_input(path);
  std::string text;
  for (size_t end = 0;;) {
    if (static_cast<int64_t>(end) > limit_bytes) {
      throw DataError({.where = path,
                       .given = "more than " + std::to_string(limit_bytes) + " bytes",
                       .expected = "at most so many, as the file is read as a whole"});
    }
    text.resize(end + kBlock);
    const size_t count = input->read(std::span(text).subspan(end));
    end += count;
    text.resize(end);
    if (count == 0) return text;
  }
}

}  // namespace portune::io
