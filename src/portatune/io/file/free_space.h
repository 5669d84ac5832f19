// Free space on disks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace portatune::io {

/// Free bytes for this user on the disk of a folder; nothing if the file system does not report them.
std::optional<int64_t> free_bytes(const std::filesystem::path& folder);

/// what    noun for the data to write, for the error: "the model"
/// errors  IoError with ENOSPC if the disk of the folder has less free space
void require_free_bytes(const std::filesystem::path& folder, int64_t bytes, const std::string& what);

}  // namespace portatune::io
