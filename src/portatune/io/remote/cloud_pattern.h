// Patterns of s3:// and gs:// URLs.
#pragma once

#include <string>
#include <vector>

namespace portatune::io {

/// The objects that match a pattern, sorted by their bytes; perhaps none. `*`, `?` and `[abc]` match neither a slash
/// nor a dot at the beginning of a name.
/// errors  as cloud_objects(); UsageError for a pattern in the bucket's name
std::vector<std::string> cloud_matches(const std::string& pattern);

}  // namespace portatune::io
