#include "portatune/cli/hub_download.h"

#include <fmt/format.h>

#include "portatune/cli/download_line.h"
#include "portatune/cli/report.h"
#include "portatune/hub/download.h"

namespace portatune::cli {

std::filesystem::path download_from_hub(const hub::HubName& name, hub::Contents contents, const Talk& talk) {
  constexpr size_t kShortCommit = 7;
  DownloadLine line(talk);
  return hub::download_model(
      name, contents,
      {.fetched =
           [&](const std::string& commit, int64_t bytes, int64_t all) {
             line.update(fmt::format("{} (commit {})", to_string(name), commit.substr(0, kShortCommit)), bytes, all);
           },
       .wait =
           [&](const std::string& file) {
             print_remark(talk, fmt::format("{}: another process fetches {}; waiting for it", to_string(name), file));
           }});
}

}  // namespace portatune::cli
