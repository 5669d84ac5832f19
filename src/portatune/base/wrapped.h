// Text wrapped to a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portatune {

/// The text with newlines in place of blanks, so that no line has more than `width` characters, except for longer
/// words. Lines after the first begin with `indent` blanks, which do not count. Newlines of the text stay.
std::string wrapped(std::string_view text, size_t width, size_t indent = 0);

}  // namespace portatune
