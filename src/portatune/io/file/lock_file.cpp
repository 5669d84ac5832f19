#include "portatune/io/file/lock_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/error.h"
#include "portatune/io/file/file.h"

namespace portatune::io {
namespace {

// Returns whether the path still names this file. A previous holder may have removed it.
bool is_in_place(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat held, there;
  return fstat(file.number(), &held) == 0 && stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

void write_process_number(const FileDescriptor& file) {
  const std::string text = std::to_string(getpid()) + "\n";
  // The number is only for the error message of other processes, so a failure does no harm.
  if (ftruncate(file.number(), 0) != 0 || pwrite(file.number(), text.data(), text.size(), 0) < 0) return;
}

}  // namespace

std::optional<LockFile> LockFile::try_hold(const std::filesystem::path& path) {
  constexpr int kAttempts = 100;  // after this many the path never seems to name the file that it has opened
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    FileDescriptor file = FileDescriptor::open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
    const FileLock lock = try_lock(file);
    if (lock == FileLock::kHeldByAnother) return std::nullopt;
    if (!is_in_place(file, path)) continue;
    write_process_number(file);
    return LockFile(path, std::move(file), lock == FileLock::kHeld);
  }
  throw_system_error("lock", path, ESTALE);
}

LockFile::~LockFile() {
  if (file_.number() >= 0) remove();
}

bool LockFile::remove() const {
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (!is_in_place(file_, path_) || unlink(path_.c_str()) == 0) return true;
  }
  return false;
}

std::string LockFile::holder(const std::filesystem::path& path) {
  try {
    const std::string text = read_text(path, 100);
    return text.substr(0, text.find('\n'));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace portatune::io
