// What makes bytes of compressed ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "portune/error.h"
#include "portune/io/input_stream.h"

namespace portune::io {

/// A stream of which the next bytes can be looked at before they are taken.
class BlockReader {
 public:
  explicit BlockReader(std::string path);

  /// The bytes that come next: at least `wanted` of them (up to kBlock), unless the file ends before.
  std::string_view bytes(size_t wanted = 1);
  void take(size_t count) { begin_ += count; }
  void seek(int64_t offset);
  /// Of the next byte in the file.
  int64_t offset() const { return block_offset_ + static_cast<int64_t>(begin_); }

  /// For what is wrong at offset().
  DataError error(std::string given, std::string expected, std::string fix = {}) const;

 private:
  static constexpr size_t kBlock = 128 * 1024;

  std::string path_;
  std::unique_ptr<InputStream> stream_;
  std::vector<char> block_;
  size_t begin_ = 0, end_ = 0;
  int64_t block_offset_ = 0;  // of block_[0] in the file
};

class Decompressor {
 public:
  virtual ~Decompressor() = default;
  /// As InputStream::read.
  virtual size_t read(BlockReader& compressed, std::span<char> target) = 0;
};

/// Those of the format that a file begins in; null if it is none of them.
std::unique_ptr<Decompressor> decompressor_for(std::string_view first_bytes);

inline constexpr std::string_view kGzipMagic = "\x1f\x8b", kZstdMagic = "\x28\xb5\x2f\xfd";
std::unique_ptr<Decompressor> gzip_decompressor();
std::unique_ptr<Decompressor> zstd_decompressor();

/// The error for compressed bytes that end too soon.
DataError cut_stream(const BlockReader& compressed, std::string_view format);

}  // namespace portune::io
