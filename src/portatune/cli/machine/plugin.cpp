// portatune plugin: lists and installs XLA plugins.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/base/environment.h"
#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/download_line.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/machine/doctor/plugin_state.h"
#include "portatune/machine/install/install_plugin.h"
#include "portatune/machine/install/package_index.h"
#include "portatune/runtime/pjrt/plugin/plugin_package.h"

namespace portatune::cli {
namespace {

std::string index_of(const PluginInstallArguments& a) {
  if (!a.index_url.empty()) return a.index_url;
  return environment_variable("PIP_INDEX_URL").value_or(kPyPi);
}

void print(const PluginInstallArguments& a, const pjrt::PluginPackage& package, bool was_there,
           const pjrt::PluginVersion& version) {
  const std::string file = folder_of(package) / package.file;
  if (a.reporting.json) {
    print_result(line_of(
        {{"name", package.name}, {"file", file}, {"version", to_string(version)}, {"was_installed", was_there}}));
    return;
  }
  print_result(fmt::format("{:<10}{}\n{:<10}{}\n{:<10}{}\n", "plugin", file, "version", to_string(version), "needs",
                           package.needs));
}

// The state "compiles only" is that of a CUDA plugin without CUDA's libraries, as tools/setup.sh --aot installs it.
std::string describe(const doctor::PluginState& state) {
  if (state.is_complete) return state.folder.string();
  return state.has_plugin ? "compiles only: " + state.folder.string() : "not installed";
}

std::string row_of(const pjrt::PluginPackage& package, const doctor::PluginState& state) {
  return fmt::format("{:<8}{:<6}{:<26}{}\n{:<8}{:<6}needs {}\n", package.name, package.platform,
                     to_string(package.parts.front().wheel), describe(state), "", "", package.needs);
}

}  // namespace

int execute(const PluginInstallArguments& a) {
  catch_signals();
  const pjrt::PluginPackage& package = pjrt::plugin_package(a.name);
  if (const auto folder = folder_of(package); is_complete(package, folder)) {
    print_remark(a.reporting, package.name + " is installed already");
    print(a, package, true, pjrt::Plugin::load(folder / package.file).version());
    return kOk;
  }
  const std::string index = index_of(a);
  DownloadLine line(a.reporting);
  const InstallOptions options = {
      .index = index,
      .begin =
          [&](size_t wheels, int64_t bytes) {
            print_remark(a.reporting, fmt::format("{}: {} to fetch from {}, {}", package.name,
                                                  counted(static_cast<int64_t>(wheels), "file"), without_secrets(index),
                                                  decimal_size(static_cast<double>(bytes))));
          },
      .fetched = [&](const pjrt::Pin& wheel, int64_t bytes, int64_t all) { line.update(to_string(wheel), bytes, all); },
      .unpack = [&] { print_remark(a.reporting, "unpacking"); }};
  const pjrt::PluginVersion version = install_plugin(package, options);
  print(a, package, false, version);
  return kOk;
}

int execute(const PluginListArguments& a) {
  std::string text;
  for (const pjrt::PluginPackage& package : pjrt::plugin_packages()) {
    text += a.reporting.json ? line_of(doctor::facts_of(package)) : row_of(package, doctor::state_of(package));
  }
  print_result(text);
  return kOk;
}

}  // namespace portatune::cli
