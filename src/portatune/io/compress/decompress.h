// Files as what they say, compressed or not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "portatune/io/compress/byte_source.h"

namespace portatune::io {

enum class Compression { kNone, kGzip, kZstd };
/// What bytes that begin so are compressed by, of gzip and zstd; four bytes suffice.
Compression compression_of(std::string_view beginning);

/// The bytes of a file, here or remote, or what they say if they are gzip (RFC 1952, several members too) or zstd (RFC
/// 8878, several frames too). The first bytes tell, as no text begins so; the name does not matter. Memory is constant:
/// a zstd window of more than 128 MB is refused.
/// errors  NotFoundError, IoError; in read(): DataError with file and offset if the compressed bytes are cut or damaged
std::unique_ptr<ByteSource> open_decompressed(const std::string& path);
/// The same of a file that is open. `name` stands in errors.
std::unique_ptr<ByteSource> decompressed_bytes_of(std::shared_ptr<const RandomAccessFile> file,
                                                  const std::string& name);

/// All of open_decompressed().
/// errors  also DataError if there are more than `limit_bytes`
std::string read_decompressed(const std::string& path, int64_t limit_bytes);

}  // namespace portatune::io
