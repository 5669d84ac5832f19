#include "portatune/cli/terminal/download_line.h"

#include <fmt/format.h>

#include "portatune/base/text/number.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/hub/download/download.h"

namespace portatune::cli {

std::filesystem::path download_from_hub(const io::HubName& name, hub::Contents contents, const Reporting& reporting) {
  constexpr size_t kShortCommit = 7;
  DownloadLine line(reporting);
  return hub::download_model(
      name, contents,
      {.fetched =
           [&](const std::string& commit, int64_t bytes, int64_t all) {
             line.update(fmt::format("{} (commit {})", to_string(name), commit.substr(0, kShortCommit)), bytes, all);
           },
       .wait =
           [&](const std::string& file) {
             print_remark(reporting,
                          fmt::format("{}: another process fetches {}; waiting for it", to_string(name), file));
           }});
}

DownloadLine::DownloadLine(const Reporting& reporting) : reporting_(reporting), terminal_(stderr_terminal(false)) {}

void DownloadLine::update(const std::string& name, int64_t bytes, int64_t all) {
  if (reporting_.quiet) return;
  const bool is_new = name != name_;
  name_ = name;
  const std::string size = decimal_size(static_cast<double>(all));
  if (!terminal_.rewrites) {
    if (is_new) print_remark(reporting_, fmt::format("fetching {}, {}", name, size));
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
