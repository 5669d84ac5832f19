// gzip through zlib, which checks length and CRC-32 of every member.
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "portune/io/decompressor.h"

namespace portune::io {
namespace {

class Gzip final : public Decompressor {
 public:
  Gzip() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&state_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&state_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  size_t read(BlockReader& compressed, std::span<char> target) override {
    const size_t room = std::min<size_t>(target.size(), std::numeric_limits<uInt>::max());
    state_.next_out = reinterpret_cast<Bytef*>(target.data());
    state_.avail_out = static_cast<uInt>(room);
    while (state_.avail_out == room) {
      if (member_ended_ && !begin_member(compressed)) return 0;
      inflate_block(compressed);
    }
    return room - state_.avail_out;
  }

 private:
  void inflate_block(BlockReader& compressed) {
    const std::string_view bytes = compressed.bytes();
    if (bytes.empty()) throw cut_stream(compressed, "gzip");
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write to it
    state_.avail_in = static_cast<uInt>(bytes.size());
    const int status = inflate(&state_, Z_NO_FLUSH);
    compressed.take(bytes.size() - state_.avail_in);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      member_ended_ = true;
    } else if (status != Z_OK) {
      throw compressed.error(state_.msg != nullptr ? state_.msg : "bytes that zlib refuses", "gzip data",
                             "the file is damaged: fetch or compress it anew");
    }
  }

  // Members may follow each other, and zeros the last one, as in what comes from tapes. False at the end.
  bool begin_member(BlockReader& compressed) {
    std::string_view bytes = compressed.bytes(kGzipMagic.size());
    while (!bytes.empty() && bytes[0] == '\0') {
      compressed.take(std::min(bytes.find_first_not_of('\0'), bytes.size()));
      bytes = compressed.bytes(kGzipMagic.size());
    }
    if (bytes.empty()) return false;
    if (!bytes.starts_with(kGzipMagic)) {
      throw compressed.error("bytes behind the gzip data that are none", "the end of the file, or more gzip data",
                             "the file is damaged: fetch or compress it anew");
    }
    inflateReset(&state_);
    member_ended_ = false;
    return true;
  }

  z_stream state_ = {};
  bool member_ended_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> gzip_decompressor() { return std::make_unique<Gzip>(); }

}  // namespace portune::io
