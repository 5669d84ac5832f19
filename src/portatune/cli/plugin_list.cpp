// portatune plugin list: lists the known XLA plugins and the installed ones.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/cli/commands.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/report.h"
#include "portatune/pjrt/plugin_package.h"

namespace portatune::cli {
namespace {

namespace fs = std::filesystem;

struct Place {
  fs::path folder;
  bool has_plugin, is_complete;
};

// The state "compiles only" is that of a CUDA plugin without CUDA's libraries, as tools/setup.sh --aot installs it.
std::string state_of(const Place& place) {
  if (place.is_complete) return place.folder.string();
  return place.has_plugin ? "compiles only: " + place.folder.string() : "not installed";
}

std::string row_of(const pjrt::PluginPackage& package, const Place& place) {
  return fmt::format("{:<8}{:<6}{:<26}{}\n{:<8}{:<6}needs {}\n", package.name, package.platform,
                     to_string(package.parts.front().wheel), state_of(place), "", "", package.needs);
}

std::string json_of(const pjrt::PluginPackage& package, const Place& place) {
  const pjrt::Pin& wheel = package.parts.front().wheel;
  return line_of({{"name", package.name},
                  {"platform", package.platform},
                  {"package", wheel.package},
                  {"version", wheel.version},
                  {"needs", package.needs},
                  {"folder", place.folder.string()},
                  {"installed", place.is_complete},
                  {"compiles", place.has_plugin}});
}

}  // namespace

int plugin_list(const PluginListArguments& a) {
  std::string text;
  for (const pjrt::PluginPackage& package : pjrt::plugin_packages()) {
    const fs::path folder = folder_of(package);
    std::error_code none;
    const Place place = {.folder = folder,
                         .has_plugin = fs::is_regular_file(folder / package.file, none),
                         .is_complete = is_complete(package, folder)};
    text += a.talk.json ? json_of(package, place) : row_of(package, place);
  }
  print_result(text);
  return kOk;
}

}  // namespace portatune::cli
