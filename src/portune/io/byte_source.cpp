#include "portune/io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "portune/base/file_descriptor.h"
#include "portune/error.h"

namespace portune::io {
namespace {

class FileSource final : public ByteSource {
 public:
  // O_NONBLOCK: opening a pipe by mistake must not wait for a writer.
  explicit FileSource(const std::filesystem::path& path)
      : path_(path), file_(FileDescriptor::open(path, O_RDONLY | O_NONBLOCK)) {
    struct stat status;
    if (fstat(file_.number(), &status) != 0) throw_system_error("stat", path, errno);
    if (!S_ISREG(status.st_mode)) {
      throw IoError({.where = "read " + path.string(),
                     .given = S_ISDIR(status.st_mode) ? "a folder" : "not a regular file",
                     .expected = "a regular file"});
    }
    size_ = status.st_size;
    posix_fadvise(file_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
  }

  size_t read(std::span<char> target) override {
    ssize_t count;
    do {
      count = pread(file_.number(), target.data(), target.size(), static_cast<off_t>(at_));
    } while (count < 0 && errno == EINTR);
    if (count < 0) throw_system_error("read", path_, errno);
    at_ += count;
    return static_cast<size_t>(count);
  }
  void skip(int64_t bytes) override { at_ += bytes; }
  std::optional<int64_t> size() const override { return size_; }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  int64_t size_ = 0, at_ = 0;
};

}  // namespace

void read_and_forget(ByteSource& source, int64_t bytes) {
  constexpr int64_t kBlock = 64 * 1024;
  std::vector<char> passed(static_cast<size_t>(std::min(bytes, kBlock)));
  while (bytes > 0) {
    const size_t count = source.read(std::span(passed).first(static_cast<size_t>(std::min(bytes, kBlock))));
    if (count == 0) return;
    bytes -= static_cast<int64_t>(count);
  }
}

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path) { return std::make_unique<FileSource>(path); }

}  // namespace portune::io
