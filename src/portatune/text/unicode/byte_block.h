// Blocks of 16 bytes of a text, as portable vectors of GCC and Clang.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace portatune::text {

static_assert(std::endian::native == std::endian::little, "words are read from memory as little-endian integers");

using ByteBlock = uint8_t __attribute__((vector_size(16)));

inline ByteBlock load_block(const char* at) {
  ByteBlock bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

/// 0xFF for bytes from `first` on and less than `count` after it, otherwise 0. Unsigned differences need one
/// comparison.
inline ByteBlock in_range(ByteBlock bytes, uint8_t first, uint8_t count) {
  return reinterpret_cast<ByteBlock>((bytes - first) < count);
}

/// 0xFF for bytes that equal `byte`, otherwise 0.
inline ByteBlock equal(ByteBlock bytes, uint8_t byte) { return reinterpret_cast<ByteBlock>(bytes == byte); }

/// Bit i is the uppermost bit of byte i.
inline uint64_t upper_bits(ByteBlock bytes) {
#ifdef __SSE2__
  return static_cast<uint64_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(bytes)));
#else
  // The uppermost byte of the product holds each of the eight bits.
  constexpr uint64_t kUpper = 0x8080808080808080, kGather = 0x0002040810204081;
  struct Halves {
    uint64_t low, high;
  };
  const auto halves = std::bit_cast<Halves>(bytes);
  return ((halves.low & kUpper) * kGather) >> 56 | ((halves.high & kUpper) * kGather) >> 56 << 8;
#endif
}

/// The number of leading 0xFF bytes in a block of 0xFF and 0.
inline size_t leading_count(ByteBlock mask) {
  struct Halves {
    uint64_t low, high;
  };
  const auto halves = std::bit_cast<Halves>(mask);
  return halves.low != ~uint64_t{0} ? static_cast<size_t>(std::countr_one(halves.low)) / 8
                                    : 8 + static_cast<size_t>(std::countr_one(halves.high)) / 8;
}

}  // namespace portatune::text
