// The nearest known name to an unknown one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// The name that is the fewest edits (insert, delete, replace or swap neighbours) away from `typed`: at most a quarter
/// of its length, and at least one is allowed. Hyphens, underscores and the case of letters do not count. An empty
/// string if there is no such name.
std::string nearest(std::string_view typed, const std::vector<std::string>& names);

}  // namespace portatune
