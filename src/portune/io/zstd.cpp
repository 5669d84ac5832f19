#include <zstd.h>

#include <new>
#include <string>
#include <utility>
#include <vector>

#include "portune/error.h"
#include "portune/io/byte_source.h"

namespace portune::io {
namespace {

constexpr size_t kBlock = 64 * 1024;
constexpr int kLargestWindowLog = 27;  // 128 MB, what the command zstd takes without being asked for more

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(std::unique_ptr<ByteSource> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), state_(ZSTD_createDStream()), input_(kBlock) {
    if (!state_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  }

  size_t read(std::span<char> target) override {
    ZSTD_outBuffer out = {target.data(), target.size(), 0};
    while (out.pos == 0) {
      const bool at_end = !fill();
      if (at_end && !within_frame_) return 0;
      const size_t status = ZSTD_decompressStream(state_.get(), &out, &in_);
      if (ZSTD_isError(status) != 0) throw damaged(ZSTD_getErrorName(status));
      within_frame_ = status != 0;
      if (at_end && out.pos == 0) throw damaged("a file that ends within its compressed data");
    }
    return out.pos;
  }

  void skip(int64_t bytes) override { read_and_forget(*this, bytes); }
  std::optional<int64_t> size() const override { return std::nullopt; }

 private:
  struct Free {
    void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
  };

  // Whether there are compressed bytes to go on with.
  bool fill() {
    if (in_.pos < in_.size) return true;
    in_ = {input_.data(), compressed_->read(input_), 0};
    read_ += static_cast<int64_t>(in_.size);
    return in_.size > 0;
  }

  DataError damaged(const std::string& given) const {
    const int64_t offset = read_ - static_cast<int64_t>(in_.size - in_.pos);
    return DataError({.where = name_,
                      .given = given + ", at byte offset " + std::to_string(offset) + " of the file",
                      .expected = "whole zstd data, with a window of at most 128 MB"});
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::unique_ptr<ZSTD_DStream, Free> state_;
  std::vector<char> input_;
  ZSTD_inBuffer in_ = {nullptr, 0, 0};
  bool within_frame_ = false;
  int64_t read_ = 0;  // compressed bytes
};

}  // namespace

std::unique_ptr<ByteSource> decompress_zstd(std::unique_ptr<ByteSource> compressed, std::string name) {
  return std::make_unique<ZstdSource>(std::move(compressed), std::move(name));
}

}  // namespace portune::io
