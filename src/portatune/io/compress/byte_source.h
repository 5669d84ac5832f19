// A sequence of bytes, from a file or from the content of a compressed file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "portatune/io/file/random_access_file.h"

namespace portatune::io {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills `target` from its beginning and returns the number of bytes: 0 only at the end.
  /// errors  IoError; DataError for damaged compressed data
  virtual size_t read(std::span<char> target) = 0;
  /// Skips the next `bytes` bytes, or as many as there are.
  virtual void skip(int64_t bytes) = 0;
  /// The total number of bytes, if it is known before reading.
  virtual std::optional<int64_t> size() const = 0;
};

/// Opens the bytes of a local or remote file.
/// errors  as open_random_access()
std::unique_ptr<ByteSource> open_file(const std::string& path);
/// The bytes of an open file, from its beginning.
std::unique_ptr<ByteSource> bytes_of(std::shared_ptr<const RandomAccessFile> file);

/// The content of `compressed`, which is gzip (one or several members, perhaps followed by zeros) or zlib. Errors
/// contain `name`.
std::unique_ptr<ByteSource> inflate(std::unique_ptr<ByteSource> compressed, std::string name);
/// The content of `compressed`, which is zstd (one or several frames). Errors contain `name`.
std::unique_ptr<ByteSource> decompress_zstd(std::unique_ptr<ByteSource> compressed, std::string name);

/// Implements skip() for a source that can only read.
void skip_by_reading(ByteSource& source, int64_t bytes);

}  // namespace portatune::io
