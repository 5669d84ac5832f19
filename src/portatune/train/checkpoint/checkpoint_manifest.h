// The checksums of a checkpoint's files: its file checkpoint_manifest.json, which is written last.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "portatune/io/checksum/content_hash.h"

namespace portatune::train {

inline constexpr const char* kManifestFile = "checkpoint_manifest.json";

/// Sums by the file's path in the checkpoint.
using FileSums = std::map<std::string, io::FileSum>;

/// The sums as a JSON text, and the way back.
/// where    what to call the text in errors
/// errors   CheckpointError if the text makes no sense
std::string text_of_sums(const FileSums& sums);
FileSums sums_in(const std::string& text, const std::string& where);

/// Adds the manifest to a checkpoint that has all its other files.
/// sums     of the files that were summed while they were written; this function reads the others
/// errors   IoError
void write_manifest(const std::filesystem::path& folder, FileSums sums);

/// Reads all files of the manifest, and requires that they have the sizes and checksums that it says. Other files in
/// the folder do not matter.
/// errors   CheckpointError that names the file and what is wrong with it; NotFoundError, IoError if one cannot be read
void verify_manifest(const std::filesystem::path& checkpoint);

}  // namespace portatune::train
