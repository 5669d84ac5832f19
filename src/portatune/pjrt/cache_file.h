// Files of the executable cache: whole or absent, whatever happens while they are written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace portatune::pjrt {

/// Of every file in the cache, so that nothing else in its folder is ever removed.
inline constexpr std::string_view kCacheFileExtension = ".portatune-exec";

/// The payload of a file that `write_cache_file` has made; nothing if there is none, or it is torn or altered.
std::optional<std::string> read_cache_file(const std::filesystem::path& file);

/// Puts a file in place in one step, over one that is there; several processes may do so at once. Makes the folder if
/// need be, readable by the user alone.
/// errors    IoError, NotFoundError
void write_cache_file(const std::filesystem::path& file, std::string_view payload);

/// Removes the files that were used longest ago until the others have at most `limit_bytes` together, and what
/// interrupted writers have left behind.
void trim_cache_folder(const std::filesystem::path& folder, int64_t limit_bytes);

}  // namespace portatune::pjrt
