// Detection of changes to files that a run reads again in each epoch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portatune::io {

struct FileChange {
  std::string file;
  std::string what;  ///< the change: "8712 bytes instead of 8448"
};

/// Stores the size, modification time and inode of local files.
class WatchedFiles {
 public:
  /// Watches files, and all files in and below folders. Remote files and other kinds of files are not watched.
  explicit WatchedFiles(const std::vector<std::string>& paths);

  /// Same as io::content_hash(). Files of it that are later rewritten with the same bytes count as unchanged.
  std::string content_hash(const std::vector<std::string>& files);

  /// The first file that has changed since the start.
  std::optional<FileChange> first_change();

 private:
  struct Stamp {
    int64_t bytes = -1;  // -1 if there is no file
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
