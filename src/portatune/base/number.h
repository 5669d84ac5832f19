// Numbers in text.
#pragma once

#include <charconv>
#include <optional>
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

}  // namespace portatune
