// Servers that list their files: s3://, gs:// and hf://.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune::io {

/// Returns whether a path is a URL of a server that lists its files, so that it may be a pattern or a folder.
bool has_listing(std::string_view path);

/// The files directly in a folder, sorted by the bytes of their URLs.
/// errors  those of cloud_objects() and hub_objects()
std::vector<std::string> remote_files(const std::string& folder);
/// The folders directly in a folder, each with a final slash.
/// errors  as remote_files()
std::vector<std::string> remote_folders(const std::string& folder);

}  // namespace portatune::io
