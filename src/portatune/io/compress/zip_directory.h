// The entries of zip archives in memory.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace portatune::io {

/// The entries of an archive without compression.
struct ZipDirectory {
  std::string first;                                                       ///< name of the first entry
  std::map<std::string, std::span<const std::byte>, std::less<>> entries;  ///< bytes of the entries, in the archive
};

/// Finds the entries of an archive. Checksums are not compared.
/// where     name of the file, for errors
/// errors    CheckpointError for a damaged archive, one with a comment, a compressed or encrypted entry, and a name
///           that occurs twice
ZipDirectory read_zip_directory(std::span<const std::byte> archive, const std::string& where);

}  // namespace portatune::io
