// portatune cache: lists and removes models of the Hugging Face cache.
#include "portatune/hub/download/cache.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/terminal/report.h"

namespace portatune::cli {
namespace {

using hub::CachedModel;
using hub::CachedRevision;

// "86b5e09 (main)".
std::string describe(const CachedRevision& revision) {
  constexpr size_t kShortCommit = 7;
  const std::string commit = revision.commit.substr(0, kShortCommit);
  return revision.refs.empty() ? commit : fmt::format("{} ({})", commit, list_of(revision.refs));
}

std::string row_of(const CachedModel& model) {
  std::vector<std::string> revisions;
  for (const CachedRevision& revision : model.revisions) revisions.push_back(describe(revision));
  return fmt::format("{:<48}{:>10}  {}\n", model.name, decimal_size(static_cast<double>(model.bytes)),
                     list_of(revisions));
}

std::string json_of(const CachedModel& model) {
  nlohmann::ordered_json revisions = nlohmann::ordered_json::array();
  for (const CachedRevision& revision : model.revisions) {
    revisions.push_back({{"commit", revision.commit}, {"refs", revision.refs}});
  }
  return line_of(
      {{"name", model.name}, {"folder", model.folder.string()}, {"bytes", model.bytes}, {"revisions", revisions}});
}

}  // namespace

int execute(const CacheListArguments& a) {
  std::string text;
  for (const CachedModel& model : hub::cached_models()) text += a.reporting.json ? json_of(model) : row_of(model);
  print_result(text);
  return kOk;
}

int execute(const CacheRemoveArguments& a) {
  const CachedModel model = hub::cached_model(a.name);
  hub::remove_cached(model);
  print_remark(a.reporting, fmt::format("removed {}, {}", model.name, decimal_size(static_cast<double>(model.bytes))));
  return kOk;
}

}  // namespace portatune::cli
