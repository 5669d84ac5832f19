#include "portatune/run/remarks.h"

#include <fmt/format.h>

#include "portatune/base/message.h"
#include "portatune/hub/adapter.h"
#include "portatune/hub/weight_files.h"

namespace portatune::run {
namespace {

constexpr size_t kMaxNames = 6;

}  // namespace

std::vector<std::string> remarks(const LoadReport& report) {
  std::vector<std::string> lines;
  if (!report.folder.empty() && hub::has_only_pickles(hub::base_of(report.folder))) {
    lines.push_back("the weights are Python pickles: only their tensors are read, and nothing in them is executed");
  }
  if (!report.unexpected.empty()) {
    lines.push_back(fmt::format("{} of the checkpoint's weights have no place in the model and are left out: {}",
                                report.unexpected.size(), list_of(report.unexpected, kMaxNames)));
  }
  return lines;
}

std::vector<std::string> remarks_on_config(const std::vector<std::string>& unknown_keys) {
  if (unknown_keys.empty()) return {};
  return {"config.json has keys that are not known and have no effect: " + list_of(unknown_keys, kMaxNames)};
}

}  // namespace portatune::run
