// A file of results that appears whole or not at all, or stdout.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "portune/io/file.h"

namespace portune::cli {

/// Written beside its place as `tmp.NAME.PID`; without `finish` that is removed again.
class ResultFile {
 public:
  /// path     "-" is stdout; a file that is there is replaced in the end; a device or pipe is written to
  /// errors   IoError, NotFoundError if it cannot be written; OutputError if it is a folder
  explicit ResultFile(std::filesystem::path path);

  void write(std::string_view text);
  void finish();

 private:
  std::filesystem::path path_, temporary_;
  std::optional<io::OutputFile> file_;
  std::ofstream stream_;  // to what is no regular file
};

}  // namespace portune::cli
