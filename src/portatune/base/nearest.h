// Which name was meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// The name that takes the fewest edits (insert, delete, replace or swap neighbours) to get from `typed`, if they are
/// few for its length; otherwise an empty string.
std::string nearest(std::string_view typed, const std::vector<std::string>& names);

}  // namespace portatune
