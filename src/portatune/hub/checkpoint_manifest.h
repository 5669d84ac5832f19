// The checksums of a checkpoint's files: its file checkpoint_manifest.json, which is written last.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "portatune/hub.h"
#include "portatune/io/checksum/content_hash.h"
#include "portatune/io/file/file_stamp.h"

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

/// A checkpoint, and the stamps that its files had before they were read.
struct StampedCheckpoint {
  std::filesystem::path folder;
  std::vector<io::FileStamp> stamps;

  bool operator==(const StampedCheckpoint&) const = default;
};

/// See portatune/hub.h. Threads may share it.
class ValidCheckpoint {
 public:
  void set(StampedCheckpoint checkpoint);
  bool is(const StampedCheckpoint& checkpoint) const;

 private:
  mutable std::mutex lock_;
  StampedCheckpoint checkpoint_;
};

/// Reads all files of the manifest and requires the sizes and checksums that it lists. Ignores other files in the
/// folder.
/// last     the checkpoint that was last found valid. If it is this one, with the same stamps, no listed file is read.
///          It becomes this checkpoint. Null: all files are read
/// errors   CheckpointError that names the file and what is wrong with it; NotFoundError, IoError if one cannot be read
void verify_manifest(const std::filesystem::path& checkpoint, ValidCheckpoint* last = nullptr);

/// Reads those files of weights that the manifest of a model folder lists, and requires their sizes and checksums.
/// Folders without a manifest, which are no checkpoints, are valid.
/// last     as in verify_manifest(), but is not set
/// errors   those of verify_manifest()
void verify_weights(const std::filesystem::path& model, const ValidCheckpoint* last = nullptr);

}  // namespace portatune::hub
