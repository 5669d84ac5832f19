// CRC-32C (Castagnoli), the checksum of TFRecord files.
#pragma once

#include <cstdint>
#include <string_view>

namespace portatune::io {

/// The CRC of `bytes` appended to bytes whose CRC is `before`.
uint32_t crc32c(std::string_view bytes, uint32_t before = 0);

/// The CRC in the masked form of TFRecord files, because a CRC over bytes that contain their own CRC is weak.
/// source  tensorflow/tsl/lib/hash/crc32c.h
uint32_t masked_crc32c(std::string_view bytes);
uint32_t mask_crc32c(uint32_t crc);

}  // namespace portatune::io
