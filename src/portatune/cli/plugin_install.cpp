// portatune plugin install: installs an XLA plugin from a package index into the user's cache.
#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "portatune/base/message.h"
#include "portatune/base/units.h"
#include "portatune/base/url_secrets.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/download_line.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/report.h"
#include "portatune/cli/signals.h"
#include "portatune/install/install_plugin.h"

namespace portatune::cli {
namespace {

std::string index_of(const PluginInstallArguments& a) {
  if (!a.index_url.empty()) return a.index_url;
  const char* const of_pip = std::getenv("PIP_INDEX_URL");
  return of_pip == nullptr || *of_pip == '\0' ? kPyPi : of_pip;
}

void print(const PluginInstallArguments& a, const pjrt::PluginPackage& package, bool was_there,
           const pjrt::PluginVersion& version) {
  const std::string file = folder_of(package) / package.file;
  if (a.talk.json) {
    print_result(line_of(
        {{"name", package.name}, {"file", file}, {"version", to_string(version)}, {"was_installed", was_there}}));
    return;
  }
  print_result(fmt::format("{:<10}{}\n{:<10}{}\n{:<10}{}\n", "plugin", file, "version", to_string(version), "needs",
                           package.needs));
}

}  // namespace

int plugin_install(const PluginInstallArguments& a) {
  catch_signals();
  const pjrt::PluginPackage& package = pjrt::plugin_package(a.name);
  if (const auto folder = folder_of(package); is_complete(package, folder)) {
    print_remark(a.talk, package.name + " is installed already");
    print(a, package, true, pjrt::Plugin::load(folder / package.file).version());
    return kOk;
  }
  const std::string index = index_of(a);
  DownloadLine line(a.talk);
  const InstallOptions options = {
      .index = index,
      .begin =
          [&](size_t wheels, int64_t bytes) {
            print_remark(a.talk, fmt::format("{}: {} to fetch from {}, {}", package.name,
                                             counted(static_cast<int64_t>(wheels), "file"), without_secrets(index),
                                             decimal_size(static_cast<double>(bytes))));
          },
      .fetched = [&](const pjrt::Pin& wheel, int64_t bytes, int64_t all) { line.update(to_string(wheel), bytes, all); },
      .unpack = [&] { print_remark(a.talk, "unpacking"); }};
  const pjrt::PluginVersion version = install_plugin(package, options);
  print(a, package, false, version);
  return kOk;
}

}  // namespace portatune::cli
