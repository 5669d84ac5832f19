#include "portatune/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace portatune {

FileLock try_lock(const FileDescriptor& file) {
  int result;
  do {
    result = flock(file.number(), LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return FileLock::kHeld;
  return errno == EWOULDBLOCK ? FileLock::kHeldByAnother : FileLock::kUnsupported;
}

bool is_removed(const FileDescriptor& file) {
  struct stat status;
  return fstat(file.number(), &status) != 0 || status.st_nlink == 0;
}

std::optional<FileDescriptor> lock_abandoned(const std::filesystem::path& path, int flags) {
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags));
  struct stat status;
  if (file.number() < 0 || fstat(file.number(), &status) != 0 || status.st_uid != geteuid()) return std::nullopt;
  // The writer may have removed the file before it released the lock.
  if (try_lock(file) != FileLock::kHeld || is_removed(file)) return std::nullopt;
  return file;
}

}  // namespace portatune
