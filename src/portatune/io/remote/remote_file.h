// Files on servers that answer requests for ranges of bytes.
#pragma once

#include <memory>

#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"
#include "portatune/io/remote/retries.h"

namespace portatune::io {

/// One remote file, as one kind of server gives it. Each call is a single attempt; TemporaryFault if it may be tried
/// again. May be used by several threads at a time.
class Transport {
 public:
  struct Facts {
    int64_t size = 0;
    std::optional<std::string> identity;
    std::string beginning;  ///< of its bytes, as many as came along
  };

  virtual ~Transport() = default;
  /// The first call.
  /// errors  as open_random_access()
  virtual Facts open(Clock::time_point deadline) = 0;
  /// All bytes from `begin` to before `end`, which are there.
  /// errors  IoError; DataError if the file is not the one that was opened
  virtual std::string read(int64_t begin, int64_t end, Clock::time_point deadline) = 0;
};

/// errors  as open_random_access()
std::shared_ptr<const RandomAccessFile> open_remote(const std::string& url);

/// Of a file that was exchanged after it had been opened. then, now  identities, or sizes
DataError changed_meanwhile(const std::string& url, const std::string& then, const std::string& now);

}  // namespace portatune::io
