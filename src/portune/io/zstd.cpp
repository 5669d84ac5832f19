// zstd through its library.
#include <zstd.h>

#include <new>

#include "portune/io/decompressor.h"

namespace portune::io {
namespace {

constexpr int kLargestWindowLog = 27;  // 128 MB, what the command zstd takes without being asked for more

class Zstd final : public Decompressor {
 public:
  Zstd() : state_(ZSTD_createDStream()) {
    if (!state_) throw std::bad_alloc();
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, kLargestWindowLog);
  }

  size_t read(BlockReader& compressed, std::span<char> target) override {
    ZSTD_outBuffer out = {target.data(), target.size(), 0};
    while (out.pos == 0) {
      const std::string_view bytes = compressed.bytes();
      if (bytes.empty() && !in_frame_) return 0;
      ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
      const size_t status = ZSTD_decompressStream(state_.get(), &out, &in);
      compressed.take(in.pos);
      if (ZSTD_isError(status) != 0) {
        throw compressed.error(ZSTD_getErrorName(status), "zstd data",
                               "the file is damaged, or needs more than 128 MB to be decompressed");
      }
      in_frame_ = status != 0;
      if (bytes.empty() && out.pos == 0) throw cut_stream(compressed, "zstd");
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
  };
  std::unique_ptr<ZSTD_DStream, Free> state_;
  bool in_frame_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> zstd_decompressor() { return std::make_unique<Zstd>(); }

}  // namespace portune::io
