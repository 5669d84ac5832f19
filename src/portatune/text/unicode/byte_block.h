// Sixteen bytes of a text at once, with GCC's and Clang's portable vectors.
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

/// 0xFF where bytes are from `first` on and less than `count` behind it, otherwise 0. Unsigned differences: one
/// comparison tells.
inline ByteBlock in_range(ByteBlock bytes, uint8_t first, uint8_t count) {
  return reinterpret_cast<ByteBlock>((bytes - first) < count);
}

/// 0xFF where bytes are `byte`, otherwise 0.
inline ByteBlock equal(ByteBlock bytes, uint8_t byte) { return reinterpret_cast<ByteBlock>(bytes == byte); }

/// Bit i is the uppermost one of byte i.
inline uint64_t upper_bits(ByteBlock bytes) {
#ifdef __SSE2__
  return static_cast<uint64_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(bytes)));
#else
  // The product has each of the eight bits in the uppermost byte.
  constexpr uint64_t kUpper = 0x8080808080808080, kGather = 0x0002040810204081;
  struct Halves {
    uint64_t low, high;
  };
  const auto halves = std::bit_cast<Halves>(bytes);
  return ((halves.low & kUpper) * kGather) >> 56 | ((halves.high & kUpper) * kGather) >> 56 << 8;
#endif
}

/// With how many bytes of 0xFF a block begins whose bytes are 0xFF or 0.
inline size_t leading_count(ByteBlock mask) {
  struct Halves {
    uint64_t low, high;
  };
  const auto halves = std::bit_cast<Halves>(mask);
  return halves.low != ~uint64_t{0} ? static_cast<size_t>(std::countr_one(halves.low)) / 8
                                    : 8 + static_cast<size_t>(std::countr_one(halves.high)) / 8;
}

}  // namespace portatune::text
