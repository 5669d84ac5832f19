// Files on servers with range requests.
#pragma once

#include <memory>

#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/remote/retries.h"

namespace portatune::io {

/// Access to one remote file through one kind of server. Each call is a single attempt and throws TemporaryFault if a
/// retry may help. Several threads may use it at a time.
class Transport {
 public:
  struct Metadata {
    int64_t size = 0;
    std::optional<std::string> identity;
    std::string beginning;  ///< first bytes of the file, as many as the answer contained
  };

  virtual ~Transport() = default;
  /// Opens the file. This is the first call.
  /// errors  as open_random_access()
  virtual Metadata open(Clock::time_point deadline) = 0;
  /// All bytes in [begin, end), a range within the file.
  /// errors  IoError; DataError if the file is not the version that was opened
  virtual std::string read(int64_t begin, int64_t end, Clock::time_point deadline) = 0;
};

/// Opens a remote file with retries.
/// errors  as open_random_access()
std::shared_ptr<const RandomAccessFile> open_remote(const std::string& url);
/// Opens a file of that URL by its transport, with retries.
std::shared_ptr<const RandomAccessFile> open_remote(const std::string& url, std::unique_ptr<Transport> transport);

/// The error for a file that was replaced after it was opened. `then` and `now` are identities or sizes.
DataError file_changed(const std::string& url, const std::string& then, const std::string& now);

}  // namespace portatune::io
