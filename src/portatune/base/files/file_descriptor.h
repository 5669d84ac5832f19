// An open file descriptor that its destructor closes, the error of a failed system call, and locks between processes on
// open files and folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace portatune {

/// Throws NotFoundError for ENOENT, else IoError, with the action, the path and the system's text for `error_number`.
[[noreturn]] void throw_system_error(const std::string& action, const std::filesystem::path& path, int error_number);

/// Owns a file descriptor; -1 means none.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  /// Calls open(2) with O_CLOEXEC. Throws on failure.
  static FileDescriptor open(const std::filesystem::path& path, int flags, int mode = 0);

  int number() const { return number_; }
  /// Closes the file now. Returns 0 or the errno of close(2).
  int close() noexcept;

 private:
  int number_ = -1;
};

enum class FileLock {
  kHeld,           ///< this process holds the lock until it closes the file or ends for any reason
  kHeldByAnother,  ///< another process holds the lock, or another open file of this process
  kUnsupported     ///< the file system has no locks, so no process can know whether a writer is alive
};

/// Tries to lock an open file or folder. Does not wait.
FileLock try_lock(const FileDescriptor& file);

/// Returns whether an open file or folder has been removed from its folder.
/// path    its name in errors
/// errors  IoError if the operating system does not say
bool is_removed(const FileDescriptor& file, const std::filesystem::path& path);

/// Locks a file or folder of this user whose writer is dead. Returns nothing if it is missing, is a link, has another
/// owner, is locked by a live process, or if the file system has no locks.
/// flags  flags of open(2), such as O_DIRECTORY
std::optional<FileDescriptor> lock_abandoned(const std::filesystem::path& path, int flags = 0);

}  // namespace portatune
