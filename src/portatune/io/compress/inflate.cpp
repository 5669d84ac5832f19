#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "portatune/io/compress/decompressor.h"

namespace portatune::io {
namespace {

// zlib counts bytes in 32 bits.
uInt size_of(std::span<const char> bytes) {
  return static_cast<uInt>(std::min(bytes.size(), size_t{std::numeric_limits<uInt>::max()}));
}

class Inflate final : public Decompressor {
 public:
  Inflate() {
    constexpr int kGzipOrZlib = 15 + 32;
    if (inflateInit2(&stream_, kGzipOrZlib) != Z_OK) throw std::bad_alloc();
  }
  ~Inflate() override { inflateEnd(&stream_); }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;

  Step step(std::span<const char> input, std::span<char> target) override {
    // Zeros after a member are padding, for instance to the block size of a tape.
    if (member_ended_ && !input.empty() && input[0] == 0) return {.taken = 1};
    is_within_ = true;
    member_ended_ = false;
    const uInt here = size_of(input), room = size_of(target);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = here;
    stream_.next_out = reinterpret_cast<Bytef*>(target.data());
    stream_.avail_out = room;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    const Step step = {.taken = here - stream_.avail_in, .given = room - stream_.avail_out};
    if (result == Z_STREAM_END) {
      is_within_ = false;
      member_ended_ = true;
      inflateReset(&stream_);  // another member may follow
      return step;
    }
    if (result == Z_OK || result == Z_BUF_ERROR) return step;
    return {step.taken, step.given, stream_.msg != nullptr ? stream_.msg : "damaged compressed data"};
  }

  bool is_within() const override { return is_within_; }
  std::string expected() const override { return "complete gzip or zlib data"; }

 private:
  z_stream stream_ = {};
  bool is_within_ = false, member_ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> inflate(std::unique_ptr<ByteSource> compressed, std::string name) {
  return decompressed(std::move(compressed), std::move(name), std::make_unique<Inflate>());
}

}  // namespace portatune::io
