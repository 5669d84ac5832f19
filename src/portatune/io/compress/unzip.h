// Extraction of zip archives by minizip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace portatune::io {

/// Extracts the files of an archive whose names begin with `prefix` into `folder`, under the rest of their names.
/// Creates missing folders. Executable files stay executable; the process's umask determines the other permissions.
/// returns   the number of files
/// errors    DataError for a damaged archive or a name that leads out of `folder`; IoError if a file exists or cannot
///           be
///           written; Stopped
int64_t unzip(const std::filesystem::path& archive, const std::string& prefix, const std::filesystem::path& folder);

}  // namespace portatune::io
