// Files at the level of the operating system: mapped for reading, written so that a failure is never silent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "portatune/base/file_descriptor.h"
#include "portatune/base/output_file.h"
#include "portatune/io/file/mapping_guard.h"

namespace portatune::io {

/// How a MappedFile gets at the bytes.
enum class FileAccess {
  kAuto,  ///< map; but read from network file systems, where another machine may cut the file under the mapping
  kMap,   ///< no copy; of a file that someone truncates in the meantime the rest becomes zeros: require_whole()
  kRead   ///< copied into memory once
};

/// The bytes of a regular file, page-aligned and read-only, for as long as this object lives. Remote files
/// (random_access_file.h) are read into memory.
class MappedFile {
 public:
  /// errors    NotFoundError if there is no such file; IoError if it cannot be read or is not a regular file
  static MappedFile open(const std::filesystem::path& path, FileAccess access = FileAccess::kAuto);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }
  /// To be called when bytes have been read that nothing else checks.
  /// errors    IoError that names the file if it has become shorter since it was opened
  void require_whole() const;

 private:
  // Of a file that is mapped, and not in memory of its own.
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

/// errors  IoError for what is not a regular file
int64_t size_of_regular_file(const FileDescriptor& file, const std::filesystem::path& path);

/// The whole of a small text file.
/// errors    as MappedFile::open; DataError if it is longer than `limit_bytes`
std::string read_text(const std::filesystem::path& path, int64_t limit_bytes);

/// Writes a new file.
/// errors    IoError, and nothing of the file is left
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace portatune::io
