// Detection of changes to files that rows name.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "portatune/io/file/file_stamp.h"

namespace portatune::io {

/// Remembers the version of each file when it is first read, and notices another one when it is read again. Takes some
/// 80 bytes for each file. Several threads may use it.
class SeenFiles {
 public:
  /// Call it at each reading of a local file.
  void see(const std::string& path);

  /// The first file that was another one when it was read again.
  std::optional<FileChange> first_change() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<size_t, FileStamp> stamps_;  // by the hash of the path
  std::optional<FileChange> first_change_;
};

}  // namespace portatune::io
