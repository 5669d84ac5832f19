// Keys of hash tables for short strings: the string itself, in two machine words.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace portune::text {

/// A string of 1 to 15 bytes, zero-padded, with its length in the last byte. All zero means "no string".
struct ShortKey {
  static constexpr size_t kMaxBytes = 15;

  uint64_t low = 0, high = 0;

  /// `text` has 1 to kMaxBytes bytes.
  static ShortKey of(std::string_view text) {
    char bytes[16] = {};
    std::memcpy(bytes, text.data(), text.size());
    bytes[15] = static_cast<char>(text.size());
    ShortKey key;
    std::memcpy(&key, bytes, sizeof(key));
    return key;
  }

  /// The string; valid as long as this key.
  std::string_view text() const { return {reinterpret_cast<const char*>(this), static_cast<size_t>(high >> 56)}; }

  bool empty() const { return high == 0; }
  bool operator==(const ShortKey&) const = default;

  /// Folded 128-bit product, as in wyhash: all bits of the key reach all bits of the hash.
  uint64_t hash() const {
    __extension__ using Product = unsigned __int128;
    const Product product = static_cast<Product>(low ^ 0x9E3779B97F4A7C15) * (high ^ 0xD1B54A32D192ED03);
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
};

}  // namespace portune::text
