#include "portatune/base/output_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "portatune/base/message.h"
#include "portatune/base/watchdog.h"

namespace portatune {

OutputFile::OutputFile(std::filesystem::path path, int mode)
    : path_(std::move(path)), file_(FileDescriptor::open(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode)) {}

OutputFile::~OutputFile() {
  if (finished_) return;
  file_.close();
  unlink(path_.c_str());
}

void OutputFile::reserve(int64_t bytes) {
  if (bytes == 0) return;
  int result;
  do {
    result = fallocate(file_.number(), FALLOC_FL_KEEP_SIZE, 0, bytes);
  } while (result != 0 && errno == EINTR);
  // A file system that cannot reserve will say so when the bytes are written.
  if (result != 0 && errno != EOPNOTSUPP && errno != ENOSYS) throw_system_error("reserve space for", path_, errno);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("write", path_, errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
    note_progress();
  }
}

void OutputFile::finish() {
  if (finished_) return;
  if (fsync(file_.number()) != 0) throw_system_error("fsync", path_, errno);
  if (const int error_number = file_.close(); error_number != 0) throw_system_error("close", path_, error_number);
  finished_ = true;
}

AtomicFile::AtomicFile(std::filesystem::path target, int mode)
    : target_(std::move(target)), temporary_(unique_sibling(target_, kTemporaryPrefix)), file_(temporary_, mode) {}

AtomicFile::~AtomicFile() {
  if (!committed_) unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  file_.finish();
  committed_ = rename(temporary_.c_str(), target_.c_str()) == 0;
  if (committed_) return;
  const int error_number = errno;
  unlink(temporary_.c_str());
  throw_system_error("rename " + temporary_.string() + " to", target_, error_number);
}

std::filesystem::path unique_sibling(const std::filesystem::path& target, std::string_view prefix) {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, 0) != sizeof bits) throw_system_error("get random bits for", target, errno);
  return target.parent_path() / (std::string(prefix) + target.filename().string() + "." + hexadecimal(bits));
}

}  // namespace portatune
