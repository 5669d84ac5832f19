// Files of the executable cache. They are whole or absent, even after a crash during writing.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace portatune::pjrt {

/// The extension of all files of the cache. Trimming removes no other files of the folder.
inline constexpr std::string_view kCacheFileExtension = ".portatune-exec";

/// The payload of a file of `write_cache_file`; nothing if the file is absent, truncated or altered.
std::optional<std::string> read_cache_file(const std::filesystem::path& file);

/// Puts a file in place in one step and replaces an older one; several processes may do so at once. Creates the folder
/// if it is missing, readable only by the user.
/// errors    IoError, NotFoundError
void write_cache_file(const std::filesystem::path& file, std::string_view payload);

/// Removes the least recently used files until the others have at most `limit_bytes` together, and temporary files of
/// interrupted writers.
void trim_cache_folder(const std::filesystem::path& folder, int64_t limit_bytes);

}  // namespace portatune::pjrt
