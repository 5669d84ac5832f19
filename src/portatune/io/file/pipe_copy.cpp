#include "portatune/io/file/pipe_copy.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <utility>

#include "portatune/base/threads/stop.h"

namespace portatune::io {
namespace {

struct stat status_of(const FileDescriptor& file, const std::string& path) {
  struct stat status;
  if (fstat(file.number(), &status) != 0) throw_system_error("stat", path, errno);
  return status;
}

FileDescriptor temporary_file() {
  std::string path = std::filesystem::temp_directory_path() / "portatune-XXXXXX";
  FileDescriptor file(mkostemp(path.data(), O_CLOEXEC));
  if (file.number() < 0) throw_system_error("create", path, errno);
  unlink(path.c_str());
  return file;
}

void write_all(const FileDescriptor& file, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) throw_system_error("write", std::filesystem::temp_directory_path(), errno);
    if (count > 0) bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

// Waits until the pipe has bytes or ends. A signal ends the wait.
void wait_for(const FileDescriptor& pipe) {
  constexpr int kMilliseconds = 100;
  pollfd waiting = {.fd = pipe.number(), .events = POLLIN, .revents = 0};
  while (poll(&waiting, 1, kMilliseconds) <= 0) stop_if_requested();
}

FileDescriptor read_to_end(const FileDescriptor& pipe, const std::string& path) {
  FileDescriptor copy = temporary_file();
  std::array<char, 64 * 1024> block;
  for (;;) {
    wait_for(pipe);
    const ssize_t count = read(pipe.number(), block.data(), block.size());
    if (count == 0) return copy;
    if (count > 0) write_all(copy, std::span(block).first(static_cast<size_t>(count)));
    if (count < 0 && errno != EINTR && errno != EAGAIN) throw_system_error("read", path, errno);
  }
}

// Whether another writer has written into a named pipe since it was copied.
bool has_further_bytes(const FileDescriptor& pipe) {
  pollfd waiting = {.fd = pipe.number(), .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLIN) != 0;
}

// A pipe and its copy. The pipe stays open so that its device and inode numbers stay unique.
struct Copied {
  FileDescriptor pipe, copy;
};

}  // namespace

bool is_pipe(const FileDescriptor& file) {
  struct stat status;
  if (fstat(file.number(), &status) != 0) return false;
  return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) || isatty(file.number()) == 1;
}

FileDescriptor copy_of_pipe(FileDescriptor pipe, const std::string& path) {
  static std::mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, Copied> copies;  // per process, like pipes
  const struct stat status = status_of(pipe, path);
  const std::lock_guard lock(mutex);
  const std::pair key(status.st_dev, status.st_ino);
  auto found = copies.find(key);
  if (found == copies.end()) {
    FileDescriptor copy = read_to_end(pipe, path);
    found = copies.emplace(key, Copied{std::move(pipe), std::move(copy)}).first;
  } else if (S_ISFIFO(status.st_mode) && has_further_bytes(found->second.pipe)) {
    // The pipe that was open before the new writer sees its end.
    found->second.copy = read_to_end(found->second.pipe, path);
  }
  FileDescriptor copy(fcntl(found->second.copy.number(), F_DUPFD_CLOEXEC, 0));
  if (copy.number() < 0) throw_system_error("open", path, errno);
  return copy;
}

}  // namespace portatune::io
