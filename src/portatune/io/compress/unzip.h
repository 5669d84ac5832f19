// Zip archives, by minizip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace portatune::io {

/// Writes the files of an archive whose names begin with `prefix` into `folder`, under the rest of their names, with
/// the folders on the way. A file that may be executed stays so; all else about permissions is this process's umask.
/// returns   the number of files
/// errors    DataError for an archive that is damaged, or that has a name which leads out of `folder`; IoError if a
///           file cannot be written, or is there; Stopped
int64_t unzip(const std::filesystem::path& archive, const std::string& prefix, const std::filesystem::path& folder);

}  // namespace portatune::io
