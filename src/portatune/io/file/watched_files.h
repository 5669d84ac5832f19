// Detection of changes to files that a run reads again in each epoch.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "portatune/io/file/file_stamp.h"

namespace portatune::io {

/// Stores the size, modification time and inode of local files. Thread-safe.
class WatchedFiles {
 public:
  /// Watches files, and all files in and below folders. Remote files and other kinds of files are not watched.
  explicit WatchedFiles(const std::vector<std::string>& paths);

  /// Same as io::content_hash(). Files of it that are later rewritten with the same bytes count as unchanged.
  std::string content_hash(const std::vector<std::string>& files);

  /// The first file that has changed since the start.
  std::optional<FileChange> first_change();

 private:
  struct Watched {
    std::string path;
    FileStamp stamp;
  };
  void add(const std::string& path);

  std::mutex mutex_;  // guards the members below
  std::vector<Watched> files_;
  std::vector<std::string> hashed_;
  std::string hash_;
};

}  // namespace portatune::io
