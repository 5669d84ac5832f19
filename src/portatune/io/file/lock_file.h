// A lock between processes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "portatune/base/files/file_descriptor.h"

namespace portatune::io {

/// A lock file that this process holds while the object lives, and that contains the process number. The lock ends with
/// the process; the file may remain after a crash and then locks nothing. On file systems without locks try_hold()
/// always succeeds but excludes no process: see is_effective().
class LockFile {
 public:
  /// Returns nothing if another process holds the lock.
  /// errors    IoError, NotFoundError if the file cannot be created; IoError if the path never names the created file
  static std::optional<LockFile> try_hold(const std::filesystem::path& path);
  ~LockFile();
  LockFile(LockFile&& other) noexcept = default;
  LockFile& operator=(LockFile&&) = delete;

  /// Returns whether the file system has locks.
  bool is_effective() const { return is_effective_; }
  /// Removes the file, unless another file has replaced it. The destructor does the same.
  /// returns  whether the file is gone from its path
  bool remove() const;

  /// The number of the process that holds, or last held, this lock file; empty if unknown.
  static std::string holder(const std::filesystem::path& path);

 private:
  LockFile(std::filesystem::path path, FileDescriptor file, bool is_effective)
      : path_(std::move(path)), file_(std::move(file)), is_effective_(is_effective) {}

  std::filesystem::path path_;
  FileDescriptor file_;
  bool is_effective_;
};

}  // namespace portatune::io
