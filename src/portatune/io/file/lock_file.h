// A lock between processes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "portatune/base/file_descriptor.h"

namespace portatune::io {

/// A file that this process holds while the object lives, and that tells its number. The lock ends with the process,
/// however it ends; the file may then stay and is no lock any more. On file systems without locks it always succeeds,
/// and keeps nobody away: see is_effective().
class LockFile {
 public:
  /// Nothing if another process holds it.
  /// errors    IoError, NotFoundError if the file cannot be made
  static std::optional<LockFile> try_hold(const std::filesystem::path& path);
  ~LockFile();
  LockFile(LockFile&& other) noexcept = default;
  LockFile& operator=(LockFile&&) = delete;

  /// Whether the file system has locks.
  bool is_effective() const { return is_effective_; }
  /// Removes the file, unless its place has been taken by another; so does the destructor.
  /// returns  whether the place has no such file any more
  bool remove() const;

  /// The number of the process that holds, or last held, the lock file there; empty if that is not known.
  static std::string holder(const std::filesystem::path& path);

 private:
  LockFile(std::filesystem::path path, FileDescriptor file, bool is_effective)
      : path_(std::move(path)), file_(std::move(file)), is_effective_(is_effective) {}

  std::filesystem::path path_;
  FileDescriptor file_;
  bool is_effective_;
};

}  // namespace portatune::io
