#include "portatune/io/compress/decompress.h"

#include "portatune/error.h"

namespace portatune::io {
namespace {

constexpr std::string_view kGzip = "\x1f\x8b", kZstd = "\x28\xb5\x2f\xfd";

std::string beginning_of(const RandomAccessFile& file, size_t bytes) {
  std::string beginning(bytes, '\0');
  beginning.resize(file.read_at(0, beginning));
  return beginning;
}

}  // namespace

Compression compression_of(std::string_view beginning) {
  if (beginning.starts_with(kGzip)) return Compression::kGzip;
  return beginning.starts_with(kZstd) ? Compression::kZstd : Compression::kNone;
}

std::unique_ptr<ByteSource> open_decompressed(const std::string& path) {
  return decompressed_bytes_of(open_random_access(path, Access::kSequential), path);
}

std::unique_ptr<ByteSource> decompressed_bytes_of(std::shared_ptr<const RandomAccessFile> file,
                                                  const std::string& name) {
  const Compression compression = compression_of(beginning_of(*file, kZstd.size()));
  std::unique_ptr<ByteSource> bytes = bytes_of(std::move(file));
  if (compression == Compression::kGzip) return inflate(std::move(bytes), name);
  if (compression == Compression::kZstd) return decompress_zstd(std::move(bytes), name);
  return bytes;
}

std::string read_decompressed(const std::string& path, int64_t limit_bytes) {
  constexpr size_t kBlock = 1 << 18;
  const std::unique_ptr<ByteSource> source = open_decompressed(path);
  std::string text;
  for (size_t end = 0;;) {
    if (static_cast<int64_t>(end) > limit_bytes) {
      throw DataError({.where = path,
                       .given = "more than " + std::to_string(limit_bytes) + " bytes",
                       .expected = "a smaller file, because it is read as a whole"});
    }
    text.resize(end + kBlock);
    const size_t count = source->read(std::span(text).subspan(end));
    end += count;
    text.resize(end);
    if (count == 0) return text;
  }
}

}  // namespace portatune::io
