// Texts by code points, as Python counts them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portatune::tasks {

/// Code points [begin, end) of a UTF-8 text, or as many of them as there are.
std::string_view substring(std::string_view text, int64_t begin, int64_t end);

/// The text without its leading white space.
std::string_view without_leading_space(std::string_view text);

}  // namespace portatune::tasks
