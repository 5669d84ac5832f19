#include "portatune/io/file/local_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/base/threads/watchdog.h"
#include "portatune/io/file/file.h"
#include "portatune/io/file/pipe_copy.h"

namespace portatune::io {
namespace {

// Duplicates the descriptor, because a socket as standard input cannot be opened by its path.
FileDescriptor open_standard_input() {
  FileDescriptor file(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  if (file.number() < 0) throw_system_error("open", kStandardInput, errno);
  return file;
}

// Returns whether standard input is /dev/null, as for services. It ends at once.
bool is_null_device(const FileDescriptor& file) {
  struct stat status, null;
  return fstat(file.number(), &status) == 0 && stat("/dev/null", &null) == 0 && S_ISCHR(status.st_mode) &&
         status.st_rdev == null.st_rdev;
}

// O_NONBLOCK: opening a pipe does not wait for its writer, so a signal can end the wait for its bytes.
FileDescriptor open_for_reading(const std::string& path) {
  FileDescriptor file =
      path == kStandardInput ? open_standard_input() : FileDescriptor::open(path, O_RDONLY | O_NONBLOCK);
  const bool is_copied = is_pipe(file) || (path == kStandardInput && is_null_device(file));
  return is_copied ? copy_of_pipe(std::move(file), path) : std::move(file);
}

class LocalFile final : public RandomAccessFile {
 public:
  LocalFile(const std::string& path, Access access)
      : path_(path), file_(open_for_reading(path)), size_(size_of_regular_file(file_, path)) {
    if (access == Access::kSequential) posix_fadvise(file_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
  }

  int64_t size() const override { return size_; }
  // Modification times do not identify a version: a copy has another time, and a changed file may have the same.
  std::optional<std::string> identity() const override { return std::nullopt; }

  size_t read_at(int64_t offset, std::span<char> target) const override {
    size_t done = 0;
    while (done < target.size()) {
      const auto at = static_cast<off_t>(offset) + static_cast<off_t>(done);
      const ssize_t count = pread(file_.number(), target.data() + done, target.size() - done, at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) throw_system_error("read", path_, errno);
      if (count == 0) break;
      done += static_cast<size_t>(count);
      note_progress();
    }
    return done;
  }

 private:
  const std::string path_;
  const FileDescriptor file_;
  const int64_t size_;
};

}  // namespace

std::shared_ptr<const RandomAccessFile> open_local(const std::string& path, Access access) {
  return std::make_shared<const LocalFile>(path, access);
}

}  // namespace portatune::io
