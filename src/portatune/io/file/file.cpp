#include "portatune/io/file/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "portatune/base/threads/watchdog.h"
#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"

namespace portatune::io {

int64_t size_of_regular_file(const FileDescriptor& file, const std::filesystem::path& path) {
  struct stat status;
  if (fstat(file.number(), &status) != 0) throw_system_error("stat", path, errno);
  if (!S_ISREG(status.st_mode)) {
    throw IoError({.where = "read " + path.string(),
                   .given = S_ISDIR(status.st_mode) ? "a folder" : "not a regular file",
                   .expected = "a regular file"});
  }
  return status.st_size;
}

namespace {

// NFS, SMB, CIFS, SMB2 and FUSE have these numbers in statfs(2).
bool is_on_network(const FileDescriptor& file) {
  struct statfs status;
  if (fstatfs(file.number(), &status) != 0) return true;
  switch (static_cast<uint32_t>(status.f_type)) {
    case 0x6969:
    case 0x517B:
    case 0xFF534D42:
    case 0xFE534D42:
    case 0x65735546:
      return true;
    default:
      return false;
  }
}

std::byte* map_pages(int64_t size, int protection, int flags, int file, const std::filesystem::path& path) {
  void* const pages = mmap(nullptr, static_cast<size_t>(size), protection, flags, file, 0);
  if (pages == MAP_FAILED) throw_system_error("map", path, errno);
  return static_cast<std::byte*>(pages);
}

[[noreturn]] void throw_changed_size(const std::filesystem::path& path, int64_t before, int64_t now) {
  throw IoError({.where = "read " + path.string(),
                 .given = std::to_string(now) + " bytes now, " + std::to_string(before) + " bytes when it was opened",
                 .expected = "a file that no other program changes while it is read"});
}

void read_all(const FileDescriptor& file, std::span<std::byte> target, const std::filesystem::path& path) {
  size_t done = 0;
  while (done < target.size()) {
    const ssize_t count = pread(file.number(), target.data() + done, target.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_system_error("read", path, errno);
    if (count == 0) throw_changed_size(path, static_cast<int64_t>(target.size()), static_cast<int64_t>(done));
    done += static_cast<size_t>(count);
    note_progress();
  }
}

}  // namespace

MappedFile MappedFile::open(const std::filesystem::path& path, FileAccess access) {
  if (is_remote(path.native())) return read_remote(path);
  // O_NONBLOCK: opening a pipe by mistake must not wait for a writer.
  FileDescriptor file = FileDescriptor::open(path, O_RDONLY | O_NONBLOCK);
  const int64_t size = size_of_regular_file(file, path);
  if (size == 0) return MappedFile({});
  if (access == FileAccess::kAuto) access = is_on_network(file) ? FileAccess::kRead : FileAccess::kMap;

  if (access == FileAccess::kMap) {
    MappedFile mapped({map_pages(size, PROT_READ, MAP_PRIVATE, file.number(), path), static_cast<size_t>(size)});
    if (MappingGuard guard = guard_mapping(mapped.bytes_)) {
      mapped.source_.reset(new Source{path, std::move(file), std::move(guard)});
      mapped.require_whole();
      return mapped;
    }
  }
  std::byte* const pages = map_pages(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, path);
  const std::span<std::byte> bytes(pages, static_cast<size_t>(size));
  MappedFile mapped(bytes);  // owns the pages if reading fails
  read_all(file, bytes, path);
  return mapped;
}

MappedFile::~MappedFile() {
  source_.reset();  // releases the guard before other pages can get this address
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), source_(std::move(other.source_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(source_, other.source_);
  return *this;
}

void MappedFile::require_whole() const {
  if (!source_) return;
  const int64_t before = std::ssize(bytes_), now = size_of_regular_file(source_->file, source_->path);
  if (now < before) throw_changed_size(source_->path, before, now);
  if (!was_cut(*source_->guard)) return;
  throw IoError({.where = "read " + source_->path.string(),
                 .given = "a file that was temporarily shorter",
                 .expected = "a file that no other program changes while it is read"});
}

MappedFile MappedFile::read_remote(const std::string& url) {
  const std::shared_ptr<const RandomAccessFile> file = open_random_access(url);
  if (file->size() == 0) return MappedFile({});
  const auto size = static_cast<size_t>(file->size());
  std::byte* const pages = map_pages(file->size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, url);
  MappedFile mapped({pages, size});
  file->read_at(0, {reinterpret_cast<char*>(pages), size});
  return mapped;
}

std::string read_text(const std::filesystem::path& path, int64_t limit_bytes) {
  const FileDescriptor file = FileDescriptor::open(path, O_RDONLY | O_NONBLOCK);
  const int64_t size = size_of_regular_file(file, path);
  if (size > limit_bytes) {
    throw DataError({.where = path.string(),
                     .given = std::to_string(size) + " bytes",
                     .expected = "at most " + std::to_string(limit_bytes) + " bytes"});
  }
  std::string text(static_cast<size_t>(size), '\0');
  read_all(file, std::as_writable_bytes(std::span(text)), path);
  return text;
}

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  OutputFile file(path);
  file.reserve(static_cast<int64_t>(bytes.size()));
  file.write(bytes);
  file.finish();
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace portatune::io
