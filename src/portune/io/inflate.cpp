#include <zlib.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "portune/error.h"
#include "portune/io/byte_source.h"

namespace portune::io {
namespace {

constexpr size_t kBlock = 64 * 1024;

class InflateSource final : public ByteSource {
 public:
  InflateSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), input_(kBlock) {
    constexpr int kGzipOrZlib = 15 + 32;
    if (inflateInit2(&stream_, kGzipOrZlib) != Z_OK) throw std::bad_alloc();
  }
  ~InflateSource() override { inflateEnd(&stream_); }

  size_t read(std::span<char> target) override {
    stream_.next_out = reinterpret_cast<Bytef*>(target.data());
    stream_.avail_out = static_cast<uInt>(std::min(target.size(), size_t{1} << 30));
    const size_t wanted = stream_.avail_out;
    while (stream_.avail_out == wanted && fill()) step();
    return wanted - stream_.avail_out;
  }

  void skip(int64_t bytes) override { read_and_forget(*this, bytes); }

  std::optional<int64_t> size() const override { return std::nullopt; }

 private:
  // Whether there are compressed bytes to go on with.
  bool fill() {
    if (stream_.avail_in > 0) return true;
    const size_t count = compressed_->read(input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(count);
    read_ += static_cast<int64_t>(count);
    if (count == 0 && within_member_) throw damaged("a file that ends within its compressed data");
    return count > 0;
  }

  void step() {
    if (member_ended_ && *stream_.next_in == 0) {  // what fills up blocks, on tapes for instance
      ++stream_.next_in;
      --stream_.avail_in;
      return;
    }
    within_member_ = true;
    member_ended_ = false;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      within_member_ = false;
      member_ended_ = true;
      inflateReset(&stream_);  // another member may follow
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw damaged(stream_.msg ? stream_.msg : "damaged compressed data");
    }
  }

  DataError damaged(const std::string& given) const {
    const auto offset = read_ - static_cast<int64_t>(stream_.avail_in);
    return DataError({.where = name_,
                      .given = given + ", at byte offset " + std::to_string(offset) + " of the file",
                      .expected = "whole gzip or zlib data"});
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::vector<char> input_;
  z_stream stream_ = {};
  bool within_member_ = false, member_ended_ = false;
  int64_t read_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> inflate(std::unique_ptr<ByteSource> compressed, std::string name) {
  return std::make_unique<InflateSource>(std::move(compressed), std::move(name));
}

}  // namespace portune::io
