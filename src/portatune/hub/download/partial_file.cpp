#include "portatune/hub/download/partial_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "portatune/base/files/output_file.h"
#include "portatune/base/threads/stop.h"
#include "portatune/io/file/file.h"

namespace portatune::hub {
namespace {

constexpr size_t kBlock = 4 << 20;

}  // namespace

PartialFile::PartialFile(std::filesystem::path path)
    : path_(std::move(path)), file_(FileDescriptor::open(path_, O_RDWR | O_CREAT | O_NOFOLLOW, 0666)) {
  size_ = io::size_of_regular_file(file_, path_);
}

void PartialFile::read(const std::function<void(std::span<const char>)>& take) const {
  std::vector<char> block(kBlock);
  for (int64_t at = 0; at < size_;) {
    stop_if_requested();
    const ssize_t count = pread(file_.number(), block.data(), block.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw_system_error("reading", path_, count == 0 ? EIO : errno);
    take(std::span(block).first(static_cast<size_t>(count)));
    at += count;
  }
}

void PartialFile::append(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file_.number(), bytes.data(), bytes.size(), size_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("writing", path_, errno);
    size_ += count;
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

void PartialFile::clear() {
  if (ftruncate(file_.number(), 0) != 0) throw_system_error("truncating", path_, errno);
  size_ = 0;
}

void PartialFile::remove() {
  std::error_code none;
  std::filesystem::remove(path_, none);
}

void PartialFile::finish(const std::filesystem::path& target) {
  if (fsync(file_.number()) != 0) throw_system_error("syncing", path_, errno);
  std::filesystem::rename(path_, target);
  sync_folder(target.parent_path());
}

}  // namespace portatune::hub
