#include "portatune/run/remarks.h"

#include <fmt/format.h>

#include "portatune/base/message.h"

namespace portatune::run {
namespace {

constexpr size_t kMaxNames = 6;

}  // namespace

std::vector<std::string> remarks(const LoadReport& report) {
  if (report.unexpected.empty()) return {};
  return {fmt::format("{} of the checkpoint's weights have no place in the model and are left out: {}",
                      report.unexpected.size(), list_of(report.unexpected, kMaxNames))};
}

std::vector<std::string> remarks_on_config(const std::vector<std::string>& unknown_keys) {
  if (unknown_keys.empty()) return {};
  return {"config.json has keys that are not known and have no effect: " + list_of(unknown_keys, kMaxNames)};
}

}  // namespace portatune::run
