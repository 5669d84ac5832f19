// Names of folders and files, and whether they exist.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace portatune {

/// The last part of a path, also of one that ends in "/", "." or "..": "b" of "a/b/", the name of the working directory
/// of ".". Empty for an empty path and for the root.
std::string last_part_of(const std::filesystem::path& path);

/// Returns whether a path is "~" or begins with "~/", which only a shell replaces by the home folder.
bool begins_with_home(std::string_view path);

/// Returns whether a folder has an entry of this path, be it a link to nothing.
bool entry_exists(const std::filesystem::path& path);

}  // namespace portatune
