// Downloads from the Hugging Face Hub, reported on stderr.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/reporting.h"
#include "portatune/hub/download/find_model.h"

namespace portatune::cli {

/// Downloads a model into the Hugging Face cache and returns its snapshot.
/// errors  errors of hub::download_model()
std::filesystem::path download_from_hub(const io::HubName& name, hub::Contents contents, const Reporting& reporting);

/// Prints a line for each download; on a terminal the line grows.
class DownloadLine {
 public:
  explicit DownloadLine(const Reporting& reporting);
  ~DownloadLine() { end(); }
  DownloadLine(const DownloadLine&) = delete;
  DownloadLine& operator=(const DownloadLine&) = delete;

  /// name        of the download; another name begins another line
  /// bytes, all  bytes so far, and of the whole download
  void update(const std::string& name, int64_t bytes, int64_t all);

 private:
  void end();

  const Reporting& reporting_;
  const Terminal terminal_;
  std::string name_;
  double drawn_s_ = 0;
  bool is_open_ = false;
};

}  // namespace portatune::cli
