// A file that grows during a run.
#pragma once

#include <filesystem>
#include <string_view>

#include "portatune/base/files/file_descriptor.h"

namespace portatune::run {

/// A file to whose end records are written, each by one call, so that other programs see it at once. Records are not
/// synced: after a power cut the last ones may be missing or incomplete.
class AppendFile {
 public:
  /// Opens a file, or creates it.
  /// errors  IoError, NotFoundError if the folder is missing
  explicit AppendFile(std::filesystem::path path);

  /// Appends all bytes. If that fails, the file is as before.
  /// errors  IoError
  void append(std::string_view bytes);

  /// Opens the file of this path again. The save of a model moves the file with its folder.
  /// errors  IoError, NotFoundError
  void reopen();

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace portatune::run
