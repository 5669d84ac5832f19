// Numbers in text, and large numbers for people.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portatune {

/// The number that the whole text spells, as std::from_chars reads it. Returns nothing for any other text and for a
/// number that T cannot hold. A floating-point T may become infinite or NaN.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// 1234567 as "1,234,567".
std::string grouped(int64_t number);

/// A number in the largest unit that is not above it. Each unit is `base` times the one before.
std::string in_units(double number, double base, const std::array<const char*, 5>& units);

/// "1.25 GiB", as memory is sold.
std::string binary_size(int64_t bytes);
/// "1.34 GB", as disks and networks are.
std::string decimal_size(double bytes);

}  // namespace portatune
