// CRC-32C (Castagnoli), by which TFRecord files are checked.
#pragma once

#include <cstdint>
#include <string_view>

namespace portatune::io {

/// Of these bytes after those whose CRC is `before`.
uint32_t crc32c(std::string_view bytes, uint32_t before = 0);

/// As TFRecord files store it: a CRC of bytes that hold their own CRC would be a weak one.
/// source  tensorflow/tsl/lib/hash/crc32c.h
uint32_t masked_crc32c(std::string_view bytes);
uint32_t mask_crc32c(uint32_t crc);

}  // namespace portatune::io
