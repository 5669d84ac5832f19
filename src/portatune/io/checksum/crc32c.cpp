#include "portatune/io/checksum/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>

namespace portatune::io {

uint32_t crc32c(std::string_view bytes, uint32_t before) {
  constexpr size_t kMaxPiece = 1 << 30;  // ISA-L takes the size as int
  uint32_t crc = ~before;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kMaxPiece);
    // ISA-L takes a non-const pointer but does not write to it.
    auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(piece.data()));
    crc = crc32_iscsi(data, static_cast<int>(piece.size()), crc);
    bytes.remove_prefix(piece.size());
  }
  return ~crc;
}

uint32_t mask_crc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8; }

uint32_t masked_crc32c(std::string_view bytes) { return mask_crc32c(crc32c(bytes)); }

}  // namespace portatune::io
