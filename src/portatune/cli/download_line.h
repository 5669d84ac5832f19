// A line on stderr that shows the progress of a download.
#pragma once

#include <cstdint>
#include <string>

#include "portatune/cli/commands.h"
#include "portatune/cli/progress_bar.h"

namespace portatune::cli {

/// Prints a line for each download; on a terminal the line grows.
class DownloadLine {
 public:
  explicit DownloadLine(const Talk& talk);
  ~DownloadLine() { end(); }
  DownloadLine(const DownloadLine&) = delete;
  DownloadLine& operator=(const DownloadLine&) = delete;

  /// name        of the download; another name begins another line
  /// bytes, all  bytes so far, and of the whole download
  void update(const std::string& name, int64_t bytes, int64_t all);

 private:
  void end();

  const Talk& talk_;
  const Terminal terminal_;
  std::string name_;
  double drawn_s_ = 0;
  bool is_open_ = false;
};

}  // namespace portatune::cli
