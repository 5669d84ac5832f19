#include "portune/io/arrow_plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

#include "portune/error.h"

namespace portune::io {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "PORTUNE_ARROW_PLUGIN";
constexpr const char* kName = "libportune_arrow.so";

// What the user names is taken or refused; otherwise where it is built and installed.
std::vector<fs::path> places() {
  const char* named = std::getenv(kVariable);
  if (named != nullptr && *named != '\0') return {named};
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  const fs::path folder = program.parent_path();
  return {folder / kName, folder.parent_path() / "lib" / "portune" / kName};
}

fs::path find(const std::string& needed_for) {
  std::string looked_at;
  for (const fs::path& place : places()) {
    std::error_code none;
    if (fs::is_regular_file(place, none)) return place;
    looked_at += (looked_at.empty() ? "" : ", ") + place.string();
  }
  throw DeviceError({.where = needed_for,
                     .given = std::string("no plug-in ") + kName + " at " + looked_at,
                     .expected = "it, as Apache Arrow reads this kind of file",
                     .fix = std::string("run tools/setup.sh and build anew, or name it in ") + kVariable});
}

const PortuneArrowApi& load(const fs::path& file) {
  // RTLD_LOCAL: Arrow brings its own copies of libraries that the program may have too.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw DeviceError({.where = file.string(),
                       .given = dlerror(),
                       .expected = "the plug-in and Apache Arrow's libraries",
                       .fix = "run tools/setup.sh and build anew"});
  }
  using Function = const PortuneArrowApi* (*)();
  const auto function = reinterpret_cast<Function>(dlsym(library, "portune_arrow_api"));
  const PortuneArrowApi* const api = function == nullptr ? nullptr : function();
  if (api == nullptr || api->version != kPortuneArrowVersion) {
    throw DeviceError({.where = file.string(),
                       .given = api == nullptr ? "a library without portune_arrow_api"
                                               : "version " + std::to_string(api->version) + " of its interface",
                       .expected = "version " + std::to_string(kPortuneArrowVersion)});
  }
  return *api;
}

}  // namespace

const PortuneArrowApi& arrow_plugin(const std::string& needed_for) {
  static std::mutex mutex;
  static const PortuneArrowApi* api = nullptr;
  const std::lock_guard lock(mutex);
  if (api == nullptr) api = &load(find(needed_for));
  return *api;
}

}  // namespace portune::io
