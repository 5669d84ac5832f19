// The identity and the version of a local file.
#pragma once

#include <cstdint>
#include <string>

namespace portatune::io {

/// Size, modification time and inode of a file.
struct FileStamp {
  int64_t bytes = -1;  ///< -1 if there is no regular file
  int64_t modified_s = 0, modified_ns = 0;
  uint64_t device = 0, inode = 0;

  static FileStamp of(const std::string& path);

  bool operator==(const FileStamp&) const = default;
};

struct FileChange {
  std::string file;
  std::string what;  ///< the change: "8712 bytes instead of 8448"
};

/// The change of a file with these stamps.
std::string describe_change(const FileStamp& then, const FileStamp& now);

}  // namespace portatune::io
