#include "portatune/machine/doctor/diagnosis.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "portatune/base/environment.h"
#include "portatune/base/files/shipped_files.h"
#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/base/threads/cores.h"
#include "portatune/base/version.h"
#include "portatune/error.h"
#include "portatune/io/file/free_space.h"
#include "portatune/io/hub/environment.h"
#include "portatune/kernels/cpu/registry.h"
#include "portatune/machine/doctor/device_check.h"
#include "portatune/machine/doctor/plugin_state.h"
#include "portatune/runtime/machine_memory.h"
#include "portatune/runtime/pjrt/plugin/plugin.h"

namespace portatune::doctor {
namespace {

using Json = nlohmann::ordered_json;
using Problems = std::vector<Problem>;
namespace fs = std::filesystem;

constexpr int64_t kLittleSpace = int64_t{2} << 30;  // a checkpoint of BERT's size with its optimizer state: 1.3 GB
constexpr rlim_t kFewFiles = 1024;

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// The value of the first line `key : value` or `key="value"` of a file; empty if there is none.
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(separator);
    if (!line.starts_with(key) || at == std::string::npos) continue;
    const std::string_view blanks = " \t\"";
    const size_t begin = line.find_first_not_of(blanks, at + 1);
    return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(blanks) + 1 - begin);
  }
  return {};
}

Json program() {
  std::error_code none;
  return {{"version", version()}, {"file", fs::read_symlink("/proc/self/exe", none).string()}};
}

Json machine() {
  utsname name = {};
  uname(&name);
  return {{"distribution", or_null(value_in("/etc/os-release", "PRETTY_NAME", '='))},
          {"kernel", std::string(name.sysname) + " " + name.release},
          {"architecture", name.machine},
          {"c_library", std::string("glibc ") + gnu_get_libc_version()}};
}

// The vector and matrix instructions among the flags of Linux.
std::vector<std::string> vector_instructions() {
  constexpr std::array kBegins = {"fma", "avx", "amx", "asimd", "sve", "bf16", "i8mm"};
  std::vector<std::string> found;
  std::istringstream flags(value_in("/proc/cpuinfo", "flags", ':') + value_in("/proc/cpuinfo", "Features", ':'));
  for (std::string flag; flags >> flag;) {
    if (std::ranges::any_of(kBegins, [&](const char* begin) { return flag.starts_with(begin); })) found.push_back(flag);
  }
  return found;
}

Json cpu() {
  return {{"model", or_null(value_in("/proc/cpuinfo", "model name", ':'))},
          {"threads", std::thread::hardware_concurrency()},
          {"usable_cores", usable_cores()},
          {"instructions", vector_instructions()},
          {"kernels_use", kernels::cpu_instruction_set()}};
}

Json memory() {
  const DeviceMemory memory = machine_memory();
  return {{"total_bytes", memory.limit_bytes.value_or(0)}, {"in_use_bytes", memory.in_use_bytes}};
}

// The nearest parent that exists: a cache appears with its first file.
fs::path existing(const fs::path& path) {
  std::error_code none;
  fs::path folder = fs::absolute(path, none);
  while (!fs::exists(folder, none) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

Json free_space(const fs::path& folder, const std::string& name, Problems& problems) {
  const std::optional<int64_t> bytes = io::free_bytes(existing(folder));
  if (!bytes) return nullptr;
  if (*bytes < kLittleSpace) {
    problems.push_back({fmt::format("{} of free space for the {}", binary_size(*bytes), name), "free some space"});
  }
  return *bytes;
}

int64_t size_of(const fs::path& folder) {
  int64_t bytes = 0;
  std::error_code none;
  for (auto entry = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, none);
       !none && entry != fs::recursive_directory_iterator(); entry.increment(none)) {
    std::error_code unknown;
    const uintmax_t size = entry->is_symlink(unknown) ? 0 : entry->file_size(unknown);
    if (!unknown) bytes += static_cast<int64_t>(size);
  }
  return bytes;
}

/// holds_code  whether files in it run, so that no other user may write to it
Json cache(const fs::path& folder, const std::string& name, bool holds_code, Problems& problems) {
  const std::string why = holds_code ? why_untrusted(folder) : "";
  if (!why.empty()) {
    problems.push_back({"the " + name + " is not used: " + why, "if it is yours: " + command_to_trust(folder)});
  }
  const bool is_writable = access(existing(folder).c_str(), W_OK) == 0;
  if (!is_writable) problems.push_back({"the " + name + " cannot be written", "set XDG_CACHE_HOME or HF_HOME"});
  Json facts = {{"folder", folder.string()}, {"size_bytes", size_of(folder)}, {"writable", is_writable}};
  if (holds_code) facts["trusted"] = why.empty();
  return facts;
}

Json caches(Problems& problems) {
  Json facts = Json::object();
  if (const std::optional<fs::path> folder = pjrt::cache_folder()) {
    facts["programs"] = cache(*folder / "executables", "cache of compiled programs", true, problems);
    facts["plugins"] = cache(*folder / "deps", "folder of plugins", true, problems);
  } else {
    problems.push_back({"neither HOME nor XDG_CACHE_HOME is set: nothing is cached", "set XDG_CACHE_HOME"});
  }
  facts["models"] = cache(io::hub_cache(), "cache of models", false, problems);
  return facts;
}

Json disk(Problems& problems) {
  std::error_code removed;
  const fs::path here = fs::current_path(removed);
  Json facts = {{"current_folder_free_bytes", free_space(removed ? "." : here, "current folder", problems)}};
  facts["models_free_bytes"] = free_space(io::hub_cache(), "cache of models", problems);
  return facts;
}

// Proxies are often given without "http://".
std::string without_credentials(const std::string& proxy) {
  constexpr std::string_view kScheme = "http://";
  if (proxy.find("://") != std::string::npos) return without_secrets(proxy);
  return without_secrets(std::string(kScheme) + proxy).substr(kScheme.size());
}

bool has_token(Problems& problems) {
  try {
    return !io::hub_token().empty();
  } catch (const Error& error) {
    problems.push_back({error.report().where + ": " + error.report().given, "hf auth login"});
    return false;
  }
}

Json network(Problems& problems) {
  const std::string offline = io::offline_variable();
  Json facts = {{"hub", without_credentials(io::hub_endpoint())},
                {"hub_token", has_token(problems)},
                {"offline_by", or_null(offline)}};
  for (const char* name :
       {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}) {
    if (const auto proxy = environment_variable(name)) facts[name] = without_credentials(*proxy);
  }
  return facts;
}

// Variables whose values cannot be secrets.
Json environment() {
  Json facts = Json::object();
  for (const char* name :
       {"PORTATUNE_CPU_PLUGIN", "PORTATUNE_CUDA_PLUGIN", "PORTATUNE_TPU_PLUGIN", "PORTATUNE_ARROW_PLUGIN",
        "PORTATUNE_AUDIO_PLUGIN", "PORTATUNE_MPI_PLUGIN", "PORTATUNE_GLOO_PLUGIN", "CUDA_VISIBLE_DEVICES", "XLA_FLAGS",
        "OMP_NUM_THREADS", "RANK", "WORLD_SIZE", "LD_LIBRARY_PATH"}) {
    if (const auto value = environment_variable(name)) facts[name] = without_secrets(*value);
  }
  return facts;
}

Json libraries(Problems& problems) {
  Json facts = Json::object();
  const auto check = [&](const char* library, const char* needed_for, const char* package) {
    void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    facts[library] = handle != nullptr;
    if (handle != nullptr) dlclose(handle);
    if (handle == nullptr) {
      problems.push_back({fmt::format("{} is missing; it is needed for {}", library, needed_for),
                          fmt::format("apt-get install {}", package)});
    }
  };
  check("libcurl.so.4", "URLs, models by name and plugin install", "libcurl4");
  check("libcrypto.so.3", "models by name and plugin install", "libssl3");
  for (const char* name : {"arrow", "audio", "mpi", "gloo"}) {
    const std::string file = fmt::format("libportatune_{}.so", name);
    facts[file] = std::ranges::any_of(shipped_places(file, "lib/portatune"), [](const fs::path& path) {
      std::error_code none;
      return fs::exists(path, none);
    });
  }
  return facts;
}

Json limits(Problems& problems) {
  Json facts = Json::object();
  const auto add = [&](const char* name, __rlimit_resource resource) {
    rlimit limit = {};
    getrlimit(resource, &limit);
    facts[name] = limit.rlim_cur == RLIM_INFINITY ? Json("unlimited") : Json(limit.rlim_cur);
    return limit.rlim_cur;
  };
  if (add("open_files", RLIMIT_NOFILE) < kFewFiles) {
    problems.push_back({"fewer than 1024 open files are allowed", "ulimit -n 4096"});
  }
  add("processes", RLIMIT_NPROC);
  add("address_space_bytes", RLIMIT_AS);
  add("file_size_bytes", RLIMIT_FSIZE);
  add("locked_memory_bytes", RLIMIT_MEMLOCK);
  add("stack_bytes", RLIMIT_STACK);
  return facts;
}

Json plugins() {
  Json list = Json::array();
  if (!pjrt::cache_folder()) return list;
  for (const pjrt::PluginPackage& package : pjrt::plugin_packages()) list.push_back(facts_of(package));
  return list;
}

}  // namespace

Diagnosis diagnose(const fs::path& command) {
  Diagnosis result;
  Problems& problems = result.problems;
  Json devices = Json::object();
  for (const char* platform : {"cpu", "cuda", "tpu"}) {
    devices[platform] = check_devices(command, platform, problems);
    result.is_usable = result.is_usable || !devices[platform].contains("error");
  }
  result.facts = {{"program", program()},
                  {"machine", machine()},
                  {"cpu", cpu()},
                  {"memory", memory()},
                  {"devices", devices},
                  {"plugins", plugins()},
                  {"libraries", libraries(problems)},
                  {"disk", disk(problems)},
                  {"caches", caches(problems)},
                  {"network", network(problems)},
                  {"limits", limits(problems)},
                  {"environment", environment()}};
  return result;
}

}  // namespace portatune::doctor
