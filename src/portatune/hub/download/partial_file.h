// A file that several attempts, also of several processes, complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "portatune/base/files/file_descriptor.h"

namespace portatune::hub {

/// A file under construction, which remains if the process ends. One process at a time may have it open.
class PartialFile {
 public:
  /// Opens the file of an earlier attempt, or creates it.
  /// errors  IoError
  explicit PartialFile(std::filesystem::path path);

  /// Bytes so far.
  int64_t size() const { return size_; }
  /// Passes all bytes so far to `take`, in pieces.
  /// errors  IoError
  void read(const std::function<void(std::span<const char>)>& take) const;
  /// errors  IoError
  void append(std::span<const char> bytes);
  /// Removes all bytes.
  /// errors  IoError
  void clear();
  /// Removes the file.
  void remove();
  /// Makes the file durable and gives it its final name. Call it once, last.
  /// errors  IoError
  void finish(const std::filesystem::path& target);

 private:
  const std::filesystem::path path_;
  FileDescriptor file_;
  int64_t size_ = 0;
};

}  // namespace portatune::hub
