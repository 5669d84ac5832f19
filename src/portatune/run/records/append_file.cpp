#include "portatune/run/records/append_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace portatune::run {

namespace {

FileDescriptor open_to_append(const std::filesystem::path& path) {
  return FileDescriptor::open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
}

}  // namespace

AppendFile::AppendFile(std::filesystem::path path) : path_(std::move(path)), file_(open_to_append(path_)) {}

void AppendFile::reopen() { file_ = open_to_append(path_); }

void AppendFile::append(std::string_view bytes) {
  const off_t end = lseek(file_.number(), 0, SEEK_END);
  while (!bytes.empty()) {
    const ssize_t written = write(file_.number(), bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      const int error_number = errno;
      if (end >= 0 && ftruncate(file_.number(), end) != 0) errno = 0;  // the error of the write is reported
      throw_system_error("write to", path_, error_number);
    }
  }
}

}  // namespace portatune::run
