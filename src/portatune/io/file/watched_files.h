// Whether files are still those that they were, as a run reads them again in each epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portatune::io {

struct FileChange {
  std::string file;
  std::string what;  ///< "8712 bytes in place of 8448"
};

/// Remembers size, modification time and inode of local files.
class WatchedFiles {
 public:
  /// Of a folder all files in it and below are watched. Remote files and what is no regular file are not.
  explicit WatchedFiles(const std::vector<std::string>& paths);

  /// That of content_hash.h. Files of it that are written anew later, but with the same bytes, are unchanged.
  std::string content_hash(const std::vector<std::string>& files);

  /// The first file that is another one than at the start.
  std::optional<FileChange> first_change();

 private:
  struct Stamp {
    int64_t bytes = -1;  // -1: there is no file
    int64_t modified_s = 0, modified_ns = 0;
    uint64_t device = 0, inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct Watched {
    std::string path;
    Stamp stamp;
  };
  static Stamp stamp_of(const std::string& path);
  static std::string describe(const Stamp& then, const Stamp& now);
  void add(const std::string& path);

  std::vector<Watched> files_;
  std::vector<std::string> hashed_;
  std::string hash_;
};

}  // namespace portatune::io
