// The content of files, whether compressed or not.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "portatune/io/compress/byte_source.h"

namespace portatune::io {

enum class Compression { kNone, kGzip, kZstd };
/// The compression of data that begin with `beginning`: gzip, zstd or none. Four bytes suffice.
Compression compression_of(std::string_view beginning);

/// The content of a local or remote file, decompressed if it is gzip (RFC 1952, also several members) or zstd (RFC
/// 8878, also several frames). The first bytes decide, because no text begins like them; the file name does not matter.
/// Memory is constant: a zstd window of more than 128 MB is an error.
/// errors  NotFoundError, IoError; in read(): DataError with file and offset if the compressed bytes are cut or damaged
std::unique_ptr<ByteSource> open_decompressed(const std::string& path);
/// The same for an open file. Errors contain `name`.
std::unique_ptr<ByteSource> decompressed_bytes_of(std::shared_ptr<const RandomAccessFile> file,
                                                  const std::string& name);

/// All bytes of open_decompressed().
/// errors  as open_decompressed(); DataError if there are more than `limit_bytes`
std::string read_decompressed(const std::string& path, int64_t limit_bytes);

}  // namespace portatune::io
