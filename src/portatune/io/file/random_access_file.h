// Files to read, wherever they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portatune::io {

/// The bytes of a file at any offset, its size and its identity. May be used by several threads at a time.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;
  virtual int64_t size() const = 0;
  /// A text that changes with the file's bytes, such as an ETag; nothing where only the bytes tell.
  virtual std::optional<std::string> identity() const = 0;
  /// Fills `target` with the bytes from `offset` on, and returns how many: fewer only at the end of the file.
  /// errors  IoError; of remote files also DataError if the file is not what it was when it was opened, Stopped
  virtual size_t read_at(int64_t offset, std::span<char> target) const = 0;
};

/// In which order a file will be read, in the main.
enum class Access {
  kSequential,  ///< from its beginning, or from a few places in it: what follows is read ahead
  kRandom       ///< here and there: what is asked for is read, and nothing else
};

/// A regular file or a pipe of this machine, or a file by its URL: https:// (http:// on this machine only), s3://,
/// gs://. Of a remote one, ranges are read when they are asked for; nothing is kept on disk.
/// errors  NotFoundError; IoError, with EACCES for lack of permission; UsageError for a URL that makes no sense;
///         DeviceError without what reads such URLs; Stopped
std::shared_ptr<const RandomAccessFile> open_random_access(const std::string& path, Access access = Access::kRandom);

/// Whether it is a URL.
bool is_remote(std::string_view path);

}  // namespace portatune::io
