// Characters of ASCII, whatever the user's language.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace portatune {

/// With a to z in place of A to Z; other bytes stay as they are.
inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

}  // namespace portatune
