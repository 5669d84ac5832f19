// portatune download: fetches a model of the Hugging Face Hub into the Hugging Face cache.
#include <nlohmann/json.hpp>
#include <optional>

#include "portatune/cli/commands.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/hub_download.h"
#include "portatune/cli/report.h"
#include "portatune/error.h"
#include "portatune/hub/environment.h"

namespace portatune::cli {
namespace {

hub::HubName checked(const std::string& text) {
  if (const std::optional<hub::HubName> name = hub::HubName::parse(text)) return *name;
  throw UsageError({.where = "download",
                    .given = text,
                    .expected = "the name of a model of the Hugging Face Hub: org/name or org/name@revision"});
}

void require_online() {
  const std::string variable = hub::offline_variable();
  if (variable.empty()) return;
  throw UsageError({.where = "download",
                    .given = variable + ", which forbids downloads",
                    .expected = "an environment without it",
                    .fix = "unset " + variable});
}

}  // namespace

int download(const DownloadArguments& a) {
  const hub::HubName name = checked(a.name);
  require_online();
  const std::filesystem::path snapshot = download_from_hub(name, hub::Contents::kModel, a.talk);
  if (a.talk.json) {
    print_result(
        line_of({{"name", name.name}, {"commit", snapshot.filename().string()}, {"folder", snapshot.string()}}));
  } else {
    print_result(snapshot.string() + "\n");
  }
  return kOk;
}

}  // namespace portatune::cli
