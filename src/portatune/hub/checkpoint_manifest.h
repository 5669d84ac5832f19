// The checksums of a checkpoint's files: its file checkpoint_manifest.json, which is written last.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "portatune/io/checksum/content_hash.h"

namespace portatune::hub {

inline constexpr const char* kManifestFile = "checkpoint_manifest.json";

/// Sums by the file's path in the checkpoint.
using FileSums = std::map<std::string, io::FileSum>;

/// Sums as a JSON text, and parsing of this text.
/// where    the name of the text in errors
/// errors   CheckpointError if the text is invalid
std::string text_of_sums(const FileSums& sums);
FileSums sums_in(const std::string& text, const std::string& where);

/// Adds the manifest to a checkpoint that has all its other files.
/// sums     sums of files that were computed during writing; this function reads the other files
/// errors   IoError
void write_manifest(const std::filesystem::path& folder, FileSums sums);

/// Reads all files of the manifest and requires the sizes and checksums that it lists. Ignores other files in the
/// folder.
/// errors   CheckpointError that names the file and what is wrong with it; NotFoundError, IoError if one cannot be read
void verify_manifest(const std::filesystem::path& checkpoint);

/// The same, but reads no file that the manifest lists if this checkpoint is the last one that this process has found
/// valid, and the stamps of its files are as they were.
void verify_manifest_once(const std::filesystem::path& checkpoint);

/// Reads those files of weights that the manifest of a model folder lists, and requires their sizes and checksums.
/// Folders without a manifest, which are no checkpoints, are valid. Like verify_manifest_once(), it reads no files of
/// the last valid checkpoint.
/// errors   those of verify_manifest()
void verify_weights(const std::filesystem::path& model);

}  // namespace portatune::hub
