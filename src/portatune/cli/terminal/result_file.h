// A file of results that appears whole or not at all, or stdout.
#pragma once

#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/base/files/output_file.h"
#include "portatune/run/predictions/text_output.h"
#include "portatune/run/records/append_file.h"

namespace portatune::cli {

/// Without finish() the new file is discarded.
class ResultFile final : public run::TextOutput {
 public:
  /// path     "-" is stdout; an existing file is replaced at the end; a device or pipe is written to
  /// inputs   the files and patterns of rows, which the result must not replace
  /// errors   IoError, NotFoundError if it cannot be written; run::OutputError for a folder and for one of the inputs
  explicit ResultFile(std::filesystem::path path, const std::vector<std::string>& inputs = {});

  void write(std::string_view text) override;
  /// Puts the file in place.
  void finish();
  /// Puts all files in place, or none. Devices and pipes are no such files: they have what was written.
  static void finish_together(std::deque<ResultFile>& files);

 private:
  std::filesystem::path path_;
  std::optional<AtomicFile> file_;
  std::optional<run::AppendFile> stream_;  // to a device or pipe
};

}  // namespace portatune::cli
