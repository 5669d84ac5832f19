// A file of results that appears whole or not at all, or stdout.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "portatune/base/output_file.h"

namespace portatune::cli {

/// Without `finish` nothing is left of it.
class ResultFile {
 public:
  /// path     "-" is stdout; a file that is there is replaced in the end; a device or pipe is written to
  /// errors   IoError, NotFoundError if it cannot be written; run::OutputError if it is a folder
  explicit ResultFile(std::filesystem::path path);

  void write(std::string_view text);
  void finish();

 private:
  std::filesystem::path path_;
  std::optional<AtomicFile> file_;
  std::ofstream stream_;  // to what is no regular file
};

}  // namespace portatune::cli
