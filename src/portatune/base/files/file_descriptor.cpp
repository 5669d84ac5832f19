#include "portatune/base/files/file_descriptor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "portatune/error.h"

namespace portatune {
namespace {

std::string advice(int error_number) {
  switch (error_number) {
    case ENOSPC:
      return "free some space, or write to another disk";
    case EDQUOT:
      return "free some of the disk quota, or write to another disk";
    case EFBIG:
      return "raise the limit on file sizes (ulimit -f), or write to another file system";
    default:
      return {};
  }
}

// The number of names of an open file or folder; none if the operating system does not say.
std::optional<nlink_t> names_of(const FileDescriptor& file) {
  struct stat status;
  return fstat(file.number(), &status) == 0 ? std::optional(status.st_nlink) : std::nullopt;
}

}  // namespace

void throw_system_error(const std::string& action, const std::filesystem::path& path, int error_number) {
  Report report{.where = action + " " + path.string(),
                .given = std::string(std::strerror(error_number)) + " (errno " + std::to_string(error_number) + ")",
                .fix = advice(error_number)};
  if (error_number == ENOENT) throw NotFoundError(std::move(report));
  throw IoError(std::move(report), error_number);
}

FileDescriptor FileDescriptor::open(const std::filesystem::path& path, int flags, int mode) {
  int number;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (number < 0 && errno == EINTR);
  if (number < 0) throw_system_error("open", path, errno);
  return FileDescriptor(number);
}

int FileDescriptor::close() noexcept {
  const int number = std::exchange(number_, -1);
  if (number < 0) return 0;
  // Linux closes the descriptor even if close() reports EINTR; a second close() could close another file.
  return ::close(number) == 0 || errno == EINTR ? 0 : errno;
}

FileLock try_lock(const FileDescriptor& file) {
  int result;
  do {
    result = flock(file.number(), LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return FileLock::kHeld;
  return errno == EWOULDBLOCK ? FileLock::kHeldByAnother : FileLock::kUnsupported;
}

bool is_removed(const FileDescriptor& file, const std::filesystem::path& path) {
  const std::optional<nlink_t> names = names_of(file);
  if (!names) throw_system_error("stat", path, errno);
  return *names == 0;
}

std::optional<FileDescriptor> lock_abandoned(const std::filesystem::path& path, int flags) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags));
  struct stat status;
  if (file.number() < 0 || fstat(file.number(), &status) != 0 || status.st_uid != geteuid()) return std::nullopt;
  // The writer may have removed the file before it released the lock.
  if (try_lock(file) != FileLock::kHeld || names_of(file).value_or(0) == 0) return std::nullopt;
  return file;
}

}  // namespace portatune
