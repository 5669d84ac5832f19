#include <array>
#include <vector>

#include "portatune/base/environment.h"
#include "portatune/base/files/shipped_files.h"
#include "portatune/error.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"
#include "portatune/runtime/pjrt/plugin/plugin_package.h"

namespace portatune::pjrt {
namespace {

namespace fs = std::filesystem;

struct PluginFacts {
  std::string_view platform;
  const char* variable;
  const char* file_name;
  const char* fix;
};

constexpr std::array<PluginFacts, 3> kPlugins = {{
    {"cpu", "PORTATUNE_CPU_PLUGIN", "xla_cpu_pjrt.so", "portatune plugin install cpu"},
    {"tpu", "PORTATUNE_TPU_PLUGIN", "libtpu.so", "portatune plugin install tpu"},
    {"cuda", "PORTATUNE_CUDA_PLUGIN", "xla_cuda_plugin.so",
     "portatune plugin install cuda13, or cuda12 for a driver older than 580"},
}};

const PluginFacts& facts_of(std::string_view platform) {
  for (const PluginFacts& facts : kPlugins) {
    if (facts.platform == platform) return facts;
  }
  throw UsageError({.where = "device", .given = std::string(platform), .expected = "cpu, tpu or cuda"});
}

std::vector<fs::path> usual_paths(const PluginFacts& facts) {
  std::vector<fs::path> paths = shipped_places(facts.file_name, "lib/portatune");
  if (!cache_folder()) return paths;
  for (const PluginPackage& package : plugin_packages()) {
    if (package.platform == facts.platform) paths.push_back(folder_of(package) / package.file);
  }
  return paths;
}

[[noreturn]] void throw_not_found(const PluginFacts& facts, const std::vector<fs::path>& looked_at) {
  std::string paths;
  for (const fs::path& path : looked_at) paths += (paths.empty() ? "" : ", ") + path.string();
  throw DeviceError({.where = "plugin for " + std::string(facts.platform),
                     .given = "no such file: " + paths,
                     .expected = "an XLA plugin at one of these paths or in " + std::string(facts.variable),
                     .fix = facts.fix});
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// A user who can write to a file in the cache folder, or to one of its parent folders, can make us run any code.
void require_trusted(const fs::path& plugin, const PluginFacts& facts) {
  const std::optional<fs::path> cache = cache_folder();
  if (!cache || !lies_in(plugin, *cache)) return;
  for (fs::path path = plugin; path != *cache; path = path.parent_path()) {
    const std::string why = why_untrusted(path);
    if (why.empty()) continue;
    throw DeviceError({.where = plugin.string(),
                       .given = why,
                       .expected = "a plugin that no other user could have put there",
                       .fix = "if it is yours: " + command_to_trust(path) + "; or set " + facts.variable});
  }
}

}  // namespace

std::optional<fs::path> cache_folder() {
  if (const auto cache = environment_variable("XDG_CACHE_HOME")) return fs::path(*cache) / "portatune";
  if (const auto home = environment_variable("HOME")) return fs::path(*home) / ".cache" / "portatune";
  return {};
}

fs::path find_plugin(std::string_view platform, const std::optional<fs::path>& named) {
  const PluginFacts& facts = facts_of(platform);
  // The file that the user names is used or refused; another plugin in its place would be a surprise.
  std::vector<fs::path> paths;
  bool is_usual = false;
  if (named) {
    paths = {*named};
  } else if (const auto from_variable = environment_variable(facts.variable)) {
    paths = {*from_variable};
  } else {
    paths = usual_paths(facts);
    is_usual = true;
  }
  for (const fs::path& path : paths) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) continue;
    if (is_usual) require_trusted(path, facts);
    return path;
  }
  throw_not_found(facts, paths);
}

}  // namespace portatune::pjrt
