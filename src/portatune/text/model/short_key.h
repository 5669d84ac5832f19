// Hash keys for short strings: the string itself, in two machine words.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace portatune::text {

/// A string of 1 to 15 bytes, zero-padded, with its length in the last byte. All zero means "no string".
struct ShortKey {
  static constexpr size_t kMaxBytes = 15;

  uint64_t low = 0, high = 0;

  /// The key of `text`, which must have 1 to kMaxBytes bytes.
  static ShortKey of(std::string_view text) {
    std::array<char, kMaxBytes + 1> bytes{};
    std::memcpy(bytes.data(), text.data(), text.size());
    bytes.back() = static_cast<char>(text.size());
    return std::bit_cast<ShortKey>(bytes);
  }

  /// The key of `size` bytes of `text` from `begin` on. It is faster if 16 bytes can be read.
  static ShortKey of(std::string_view text, size_t begin, size_t size) {
    ShortKey block;
    if (text.size() - begin < sizeof(block)) return of(text.substr(begin, size));
    std::memcpy(&block, text.data() + begin, sizeof(block));
    return block.substr(0, size);
  }

  /// The string; valid as long as this key.
  std::string_view text() const { return {reinterpret_cast<const char*>(this), size()}; }

  size_t size() const { return static_cast<size_t>(high >> 56); }

  /// The key of `size` bytes from `begin` on, at least one byte, all within the string.
  ShortKey substr(size_t begin, size_t size) const {
    const Bits bits = bits_of(*this) >> 8 * begin;
    const Bits kept = bits & ((Bits{1} << 8 * size) - 1);
    return {.low = static_cast<uint64_t>(kept),
            .high = static_cast<uint64_t>(kept >> 64) | static_cast<uint64_t>(size) << 56};
  }

  bool empty() const { return high == 0; }
  bool is_ascii() const { return ((low | high) & 0x8080808080808080) == 0; }
  bool operator==(const ShortKey&) const = default;

  /// Folded 128-bit product, as in wyhash. All bits of the key reach all bits of the hash.
  uint64_t hash() const {
    const Bits product = static_cast<Bits>(low ^ 0x9E3779B97F4A7C15) * (high ^ 0xD1B54A32D192ED03);
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

 private:
  __extension__ using Bits = unsigned __int128;
  static Bits bits_of(const ShortKey& key) { return static_cast<Bits>(key.high) << 64 | key.low; }
};

}  // namespace portatune::text
