// Free space of disks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace portatune::io {

/// Free bytes of the disk of a folder for this user; nothing if the file system does not report them.
std::optional<int64_t> free_bytes(const std::filesystem::path& folder);

/// what    what is to be written, for the error: "the model"
/// errors  IoError with ENOSPC if the disk of the folder has less free space
void require_free_bytes(const std::filesystem::path& folder, int64_t bytes, const std::string& what);

}  // namespace portatune::io
