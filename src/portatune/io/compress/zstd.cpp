#include <zstd.h>

#include <new>
#include <utility>

#include "portatune/io/compress/decompressor.h"

namespace portatune::io {
namespace {

constexpr int kMaxWindowLog = 27;  // 128 MB, the default of the zstd command

class Zstd final : public Decompressor {
 public:
  Zstd() : state_(ZSTD_createDStream()) {
    if (!state_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kMaxWindowLog);
  }

  Step step(std::span<const char> input, std::span<char> target) override {
    ZSTD_inBuffer in = {input.data(), input.size(), 0};
    ZSTD_outBuffer out = {target.data(), target.size(), 0};
    const size_t status = ZSTD_decompressStream(state_.get(), &out, &in);
    if (ZSTD_isError(status) != 0) return {in.pos, out.pos, ZSTD_getErrorName(status)};
    is_within_ = status != 0;
    return {in.pos, out.pos};
  }

  bool is_within() const override { return is_within_; }
  std::string expected() const override { return "complete zstd data with a window of at most 128 MB"; }

 private:
  struct Free {
    void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
  };

  std::unique_ptr<ZSTD_DStream, Free> state_;
  bool is_within_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> decompress_zstd(std::unique_ptr<ByteSource> compressed, std::string name) {
  return decompressed(std::move(compressed), std::move(name), std::make_unique<Zstd>());
}

}  // namespace portatune::io
