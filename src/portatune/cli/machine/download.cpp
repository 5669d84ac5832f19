// portatune download: fetches a model of the Hugging Face Hub into the Hugging Face cache.
#include <nlohmann/json.hpp>
#include <optional>

#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/terminal/download_line.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/error.h"
#include "portatune/hub/download/find_model.h"
#include "portatune/io/hub/environment.h"

namespace portatune::cli {
namespace {

io::HubName checked(const std::string& text) {
  if (const std::optional<io::HubName> name = io::HubName::parse(text)) return *name;
  throw UsageError({.where = "download",
                    .given = text,
                    .expected = "the name of a model of the Hugging Face Hub: org/name or org/name@revision"});
}

// The snapshot in the cache, if the environment forbids requests.
std::filesystem::path snapshot_of(const io::HubName& name, const Reporting& reporting) {
  if (!io::offline_variable().empty()) return hub::find_model(to_string(name), hub::Contents::kModel, "download");
  return download_from_hub(name, hub::Contents::kModel, reporting);
}

}  // namespace

int execute(const DownloadArguments& a) {
  const io::HubName name = checked(a.name);
  const std::filesystem::path snapshot = snapshot_of(name, a.reporting);
  if (a.reporting.json) {
    print_result(
        line_of({{"name", name.name}, {"commit", snapshot.filename().string()}, {"folder", snapshot.string()}}));
  } else {
    print_result(snapshot.string() + "\n");
  }
  return kOk;
}

}  // namespace portatune::cli
