#include "portatune/io/compress/decompressor.h"

#include <utility>
#include <vector>

#include "portatune/error.h"

namespace portatune::io {
namespace {

constexpr size_t kInputBlock = 64 * 1024;

class DecompressedSource final : public ByteSource {
 public:
  DecompressedSource(std::unique_ptr<ByteSource> compressed, std::string name,
                     std::unique_ptr<Decompressor> decompressor)
      : compressed_(std::move(compressed)),
        name_(std::move(name)),
        decompressor_(std::move(decompressor)),
        block_(kInputBlock) {}

  size_t read(std::span<char> target) override {
    if (target.empty()) return 0;
    for (;;) {
      const bool at_end = !fill();
      if (at_end && !decompressor_->is_within()) return 0;
      const Decompressor::Step step = decompressor_->step(unread_, target);
      unread_ = unread_.subspan(step.taken);
      if (step.fault != nullptr) throw damaged(step.fault);
      if (step.given > 0) return step.given;
      if (at_end) throw damaged("a file that ends within its compressed data");
    }
  }

  void skip(int64_t bytes) override { skip_by_reading(*this, bytes); }
  std::optional<int64_t> size() const override { return std::nullopt; }

 private:
  // Returns whether there are unread compressed bytes, after reading more if needed.
  bool fill() {
    if (!unread_.empty()) return true;
    unread_ = std::span(block_).first(compressed_->read(block_));
    read_ += std::ssize(unread_);
    return !unread_.empty();
  }

  DataError damaged(const std::string& given) const {
    const int64_t offset = read_ - std::ssize(unread_);
    return DataError({.where = name_,
                      .given = given + ", at byte offset " + std::to_string(offset) + " of the file",
                      .expected = decompressor_->expected()});
  }

  std::unique_ptr<ByteSource> compressed_;
  std::string name_;
  std::unique_ptr<Decompressor> decompressor_;
  std::vector<char> block_;
  std::span<const char> unread_;  // part of the block
  int64_t read_ = 0;              // number of compressed bytes
};

}  // namespace

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> compressed, std::string name,
                                         std::unique_ptr<Decompressor> decompressor) {
  return std::make_unique<DecompressedSource>(std::move(compressed), std::move(name), std::move(decompressor));
}

}  // namespace portatune::io
