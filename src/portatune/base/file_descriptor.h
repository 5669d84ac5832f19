// An open file descriptor that its destructor closes, and the error of a failed system call.
#pragma once

#include <filesystem>
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

}  // namespace portatune
