#include "portune/io/fingerprint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "portune/base/file_descriptor.h"
#include "portune/base/message.h"

namespace portune::io {
namespace {

constexpr int64_t kPieces = 16, kPieceBytes = 4096;

int64_t size_of(const FileDescriptor& file, const std::string& path) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) throw_system_error("stat", path, errno);
  return status.st_size;
}

}  // namespace

std::string fingerprint(const std::string& path) {
  const FileDescriptor file = FileDescriptor::open(path, O_RDONLY);
  const int64_t size = size_of(file, path);
  uint64_t hash = static_cast<uint64_t>(size);
  std::array<char, kPieceBytes> piece;
  for (int64_t i = 0; i < kPieces; ++i) {
    // The first piece is at the beginning, the last at the end; those of small files follow each other.
    const int64_t spread = (size - kPieceBytes) / (kPieces - 1) * i;
    const int64_t offset = size <= kPieces * kPieceBytes ? kPieceBytes * i
                           : i + 1 < kPieces             ? spread
                                                         : size - kPieceBytes;
    const ssize_t bytes = pread(file.number(), piece.data(), piece.size(), offset);
    if (bytes < 0) throw_system_error("read", path, errno);
    hash = XXH3_64bits_withSeed(piece.data(), static_cast<size_t>(bytes), hash);
  }
  return hexadecimal(hash);
}

}  // namespace portune::io
