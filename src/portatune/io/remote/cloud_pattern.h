// Patterns of s3:// and gs:// URLs.
#pragma once

#include <string>
#include <vector>

namespace portatune::io {

/// The objects that match, sorted by their bytes; `*`, `?` and `[abc]` do not match a slash, nor a dot that a name
/// begins with. None if there are none.
/// errors  as cloud_objects(); UsageError for a pattern in the bucket's name
std::vector<std::string> cloud_matches(const std::string& pattern);

}  // namespace portatune::io
