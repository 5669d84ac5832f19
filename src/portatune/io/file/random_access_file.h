// Read access to local and remote files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portatune::io {

/// The bytes of a file at any offset, its size and its identity. Several threads may use it at a time.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  virtual int64_t size() const = 0;
  /// A text that changes with the file's bytes, such as an ETag; nothing if no such text exists.
  virtual std::optional<std::string> identity() const = 0;
  /// Fills `target` with the bytes from `offset` and returns their number: fewer only at the end of the file.
  /// errors  IoError; for remote files also DataError if the file has changed since it was opened, and Stopped
  virtual size_t read_at(int64_t offset, std::span<char> target) const = 0;
};

/// The main order in which a file will be read.
enum class Access {
  kSequential,  ///< from its beginning or from a few offsets, with read-ahead
  kRandom       ///< at scattered offsets, without read-ahead
};

/// Opens a regular file or a pipe of this machine, or a remote file by its URL: https:// (http:// only to this
/// machine), s3://, gs://. Reads ranges of a remote file on demand and stores nothing on disk.
/// errors  NotFoundError; IoError, with EACCES for lack of permission; UsageError for an invalid URL; DeviceError if
///         the
///         library for such URLs is missing; Stopped
std::shared_ptr<const RandomAccessFile> open_random_access(const std::string& path, Access access = Access::kRandom);

/// Returns whether a path is a URL.
bool is_remote(std::string_view path);

}  // namespace portatune::io
