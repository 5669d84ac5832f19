// Bytes one after the other, from a file or from what a compressed file holds.
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
  /// Fills `target` from its beginning and returns how many bytes these were: none only at the end.
  /// errors  IoError; DataError for damaged compressed data
  virtual size_t read(std::span<char> target) = 0;
  /// Passes over the next bytes, as far as there are any.
  virtual void skip(int64_t bytes) = 0;
  /// How many bytes there are in all, where that is known before they are read.
  virtual std::optional<int64_t> size() const = 0;
};

/// The bytes of a file, here or remote.
/// errors  those of open_random_access()
std::unique_ptr<ByteSource> open_file(const std::string& path);
/// Those of a file that is open, from its beginning.
std::unique_ptr<ByteSource> bytes_of(std::shared_ptr<const RandomAccessFile> file);

/// What `compressed` holds, which is gzip (of one member or several, zeros may follow) or zlib. `name` stands in
/// errors.
std::unique_ptr<ByteSource> inflate(std::unique_ptr<ByteSource> compressed, std::string name);
/// The same for zstd, of one frame or several.
std::unique_ptr<ByteSource> decompress_zstd(std::unique_ptr<ByteSource> compressed, std::string name);

/// What skip() is where bytes can only be passed over by reading them.
void read_and_forget(ByteSource& source, int64_t bytes);

}  // namespace portatune::io
