// Merges as lines of text.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace portatune::text {

/// The beginning of the first line of merges.txt, which is not a merge.
constexpr std::string_view kVersionLine = "#version";

/// The two tokens of a line "a b"; empty for any other line.
inline std::optional<std::pair<std::string_view, std::string_view>> split_merge(std::string_view line) {
  const size_t space = line.find(' ');
  if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) return std::nullopt;
  return std::pair(line.substr(0, space), line.substr(space + 1));
}

}  // namespace portatune::text
