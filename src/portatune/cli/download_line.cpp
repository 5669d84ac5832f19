#include "portatune/cli/download_line.h"

#include <fmt/format.h>

#include "portatune/base/units.h"
#include "portatune/cli/report.h"

namespace portatune::cli {

DownloadLine::DownloadLine(const Talk& talk) : talk_(talk), terminal_(stderr_terminal(false)) {}

void DownloadLine::update(const std::string& name, int64_t bytes, int64_t all) {
  if (talk_.quiet) return;
  const bool is_new = name != name_;
  name_ = name;
  const std::string size = decimal_size(static_cast<double>(all));
  if (!terminal_.rewrites) {
    if (is_new) print_remark(talk_, fmt::format("fetching {}, {}", name, size));
    return;
  }
  if (is_new) end();
  const double now = terminal_.now_s();
  if (!is_new && bytes != all && now - drawn_s_ < kRedraw_s) return;
  drawn_s_ = now;
  terminal_.write(fmt::format("\rfetching {}, {} of {}\x1b[K", name, decimal_size(static_cast<double>(bytes)), size));
  is_open_ = true;
  if (bytes == all) end();
}

void DownloadLine::end() {
  if (is_open_) terminal_.write("\n");
  is_open_ = false;
}

}  // namespace portatune::cli
