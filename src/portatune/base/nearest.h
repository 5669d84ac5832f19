// The known name that is nearest to an unknown name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// The name with the fewest edits (insert, delete, replace, or swap of neighbours) from `typed`. The edits number at
/// most a quarter of its length; one edit is always allowed. Hyphens, underscores and letter case do not count. Returns
/// an empty string if no name is near enough.
std::string nearest(std::string_view typed, const std::vector<std::string>& names);

}  // namespace portatune
