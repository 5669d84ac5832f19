// Files at the level of the operating system: mapped for reading, and written with every failure reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "portatune/base/files/file_descriptor.h"
#include "portatune/base/files/output_file.h"
#include "portatune/io/file/mapping_guard.h"

namespace portatune::io {

/// The way in which a MappedFile obtains the bytes.
enum class FileAccess {
  kAuto,  ///< map, but read from network file systems, where another machine may truncate a mapped file
  kMap,   ///< map without a copy; if another program truncates the file, the rest becomes zeros: see require_whole()
  kRead   ///< copy into memory
};

/// The bytes of a regular file, page-aligned and read-only, valid while this object lives. Remote files
/// (random_access_file.h) are copied into memory.
class MappedFile {
 public:
  /// errors    NotFoundError if the file does not exist; IoError if it cannot be read or is not a regular file
  static MappedFile open(const std::filesystem::path& path, FileAccess access = FileAccess::kAuto);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Call it after reading bytes that have no checksum.
  /// errors    IoError with the file's name if the file has become shorter since it was opened
  void require_whole() const;

 private:
  // The open file of a mapping; null for bytes in memory.
  struct Source {
    std::filesystem::path path;
    FileDescriptor file;
    MappingGuard guard;
  };

  static MappedFile read_remote(const std::string& url);
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
  std::unique_ptr<Source> source_;
};

/// Size of a file in bytes.
/// errors  IoError if it is not a regular file
int64_t size_of_regular_file(const FileDescriptor& file, const std::filesystem::path& path);

/// The content of a small text file.
/// errors    as MappedFile::open; DataError if it is longer than `limit_bytes`
std::string read_text(const std::filesystem::path& path, int64_t limit_bytes);

/// Writes a new file.
/// errors    IoError; the file is then removed
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace portatune::io
