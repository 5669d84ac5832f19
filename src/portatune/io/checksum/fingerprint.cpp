#include "portatune/io/checksum/fingerprint.h"

#include <xxhash.h>

#include <array>
#include <cstdint>

#include "portatune/base/text/message.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/random_access_file.h"

namespace portatune::io {
namespace {

constexpr int64_t kPieces = 16, kPieceBytes = 4096;

uint64_t hash_of_pieces(const RandomAccessFile& file) {
  const int64_t size = file.size();
  uint64_t hash = static_cast<uint64_t>(size);
  std::array<char, kPieceBytes> piece;
  for (int64_t i = 0; i < kPieces; ++i) {
    // The first piece is at the beginning, the last at the end. The pieces of small files are contiguous.
    const int64_t spread = (size - kPieceBytes) / (kPieces - 1) * i;
    const int64_t offset = size <= kPieces * kPieceBytes ? kPieceBytes * i
                           : i + 1 < kPieces             ? spread
                                                         : size - kPieceBytes;
    hash = XXH3_64bits_withSeed(piece.data(), file.read_at(offset, piece), hash);
  }
  return hash;
}

}  // namespace

std::string fingerprint(const std::string& path) {
  const std::shared_ptr<const RandomAccessFile> file = open_random_access(path);
  const std::optional<std::string> identity = file->identity();
  if (!identity) return hexadecimal(hash_of_pieces(*file));
  return hexadecimal(hash_of(*identity + " " + std::to_string(file->size())));
}

}  // namespace portatune::io
