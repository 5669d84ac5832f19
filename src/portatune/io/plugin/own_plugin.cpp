#include "portatune/io/plugin/own_plugin.h"

#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <vector>

#include "portatune/base/environment.h"
#include "portatune/base/files/shipped_files.h"
#include "portatune/error.h"

namespace portatune::io {
namespace {

namespace fs = std::filesystem;

std::string fix_of(const OwnPlugin& plugin) {
  return std::string(plugin.fix) + "; or build from source: run `make build` or `make install`";
}

// Possible paths of a plug-in. A path that the user names has no alternative.
std::vector<fs::path> places(const OwnPlugin& plugin) {
  if (const auto named = environment_variable(plugin.variable)) return {*named};
  return shipped_places(plugin.file, "lib/portatune");
}

fs::path find(const OwnPlugin& plugin, const std::string& asked_by) {
  std::string tried;
  for (const fs::path& place : places(plugin)) {
    std::error_code none;
    // The libraries of the plug-in are next to the file itself, not next to a link to it.
    if (fs::is_regular_file(place, none)) return fs::canonical(place);
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  throw DeviceError({.where = asked_by,
                     .given = std::string("no plug-in ") + plugin.file + " at " + tried,
                     .expected = "the plug-in, because " + std::string(plugin.needed_for),
                     .fix = fix_of(plugin) + ", or set " + plugin.variable + " to its path"});
}

}  // namespace

SharedLibrary::SharedLibrary(const char* name, const Fail& fail)
    : name_(name), fail_(fail), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) fail_(dlerror());
}

void* SharedLibrary::address_of(const char* name) const {
  void* const address = dlsym(handle_, name);
  if (address == nullptr) fail_(std::string(name_) + " without " + name);
  return address;
}

const void* open_own_plugin(const OwnPlugin& plugin, const std::string& asked_by) {
  const fs::path file = find(plugin, asked_by);
  // RTLD_LOCAL: the plug-in contains copies of libraries that the program may have too.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw DeviceError({.where = file.string(),
                       .given = dlerror(),
                       .expected = "the plug-in and the libraries that it needs",
                       .fix = fix_of(plugin)});
  }
  using Function = const void* (*)();
  const auto function = reinterpret_cast<Function>(dlsym(library, plugin.function));
  const void* const api = function == nullptr ? nullptr : function();
  int32_t version = 0;
  if (api != nullptr) std::memcpy(&version, api, sizeof version);
  if (version != plugin.version) {
    throw DeviceError({.where = file.string(),
                       .given = api == nullptr ? std::string("a library without ") + plugin.function
                                               : "version " + std::to_string(version) + " of its interface",
                       .expected = "version " + std::to_string(plugin.version)});
  }
  return api;
}

}  // namespace portatune::io
