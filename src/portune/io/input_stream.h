// The bytes of a file from its beginning to its end, decompressed where they are compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace portune::io {

class InputStream {
 public:
  virtual ~InputStream() = default;
  /// Puts the next bytes into `target`, which is not empty: at least one, unless the file is at its end. Returns how
  /// many these are.
  virtual size_t read(std::span<char> target) = 0;
  /// Goes to a place in what read() gives. Compressed bytes are decompressed from the beginning for it.
  /// errors  those of read()
  virtual void seek(int64_t offset) = 0;
};

/// The bytes of a file, or what they say if they are gzip (RFC 1952, several members too) or zstd (RFC 8878, several
/// frames too). The first bytes tell, as no text begins so; the name does not matter. Memory is constant: a zstd window
/// of more than 128 MB is refused.
/// errors  NotFoundError, IoError; in read(): DataError with file and offset if the compressed bytes are cut or corrupt
std::unique_ptr<InputStream> open_input(const std::string& path);

/// All of open_input().
/// errors  also DataError if there are more than `limit_bytes`
std::string read_input(const std::string& path, int64_t limit_bytes);

}  // namespace portune::io
