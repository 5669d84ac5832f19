// Patterns of URLs of servers that list their files.
#pragma once

#include <string>
#include <vector>

namespace portatune::io {

/// The files that match a pattern, sorted by their bytes; perhaps none. `*`, `?` and `[abc]` match neither a slash
/// nor a dot at the beginning of a name. If a pattern is itself the name of a file, such as train[1].csv, only that
/// file matches.
/// errors  as remote_files(); UsageError for a pattern in the name of a bucket
std::vector<std::string> url_matches(const std::string& pattern);

}  // namespace portatune::io
