#include "portatune/runtime/pjrt/plugin/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "portatune/error.h"
#include "portatune/runtime/pjrt/c_api.h"

namespace portatune::pjrt {
namespace {

constexpr int kUnlessSet = 0;

bool machine_has_tpu() {
  std::error_code none;
  return std::filesystem::exists("/dev/accel0", none) || std::filesystem::exists("/dev/vfio/0", none);
}

namespace fs = std::filesystem;

// 0.72 is the first version with a peak in the memory statistics. Newer minor versions only add to the interface.
constexpr int kPjrtMajor = 0;
constexpr int kOldestPjrtMinor = 72;
// The version that stablehlo/ writes.
constexpr std::array<int64_t, 3> kStablehlo = {1, 13, 0};

std::string dotted(const std::array<int64_t, 3>& version) {
  return std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2]);
}

const PJRT_Api* load_api(const fs::path& file) {
  // RTLD_LOCAL, because a plugin contains copies of libraries that the program may have, too.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw DeviceError({.where = file.string(), .given = dlerror(), .expected = "an XLA plugin"});
  using GetPjrtApi = const PJRT_Api* (*)();
  const auto get_api = reinterpret_cast<GetPjrtApi>(dlsym(library, "GetPjrtApi"));
  const PJRT_Api* api = get_api == nullptr ? nullptr : get_api();
  if (api == nullptr) {
    throw DeviceError({.where = file.string(),
                       .given = "a shared library without GetPjrtApi",
                       .expected = "an XLA plugin with the PJRT C interface"});
  }
  return api;
}

// Checks the PJRT version. It must come before any other call, because the layout of the interface depends on it.
void require_supported_pjrt(const fs::path& file, const PluginVersion& version) {
  if (version.pjrt_major == kPjrtMajor && version.pjrt_minor >= kOldestPjrtMinor) return;
  throw DeviceError(
      {.where = file.string(),
       .given = "a plugin of PJRT " + std::to_string(version.pjrt_major) + "." + std::to_string(version.pjrt_minor),
       .expected = "PJRT " + std::to_string(kPjrtMajor) + "." + std::to_string(kOldestPjrtMinor) + " or a later " +
                   std::to_string(kPjrtMajor) + ".x",
       .fix = "install the plugin that Portatune is tested with: portatune plugin install cpu, cuda13, cuda12 or tpu"});
}

void require_supported_stablehlo(const fs::path& file, const PluginVersion& version) {
  if (version.stablehlo_minimum <= kStablehlo && kStablehlo <= version.stablehlo) return;
  throw DeviceError(
      {.where = file.string(),
       .given =
           "a plugin that reads StableHLO " + dotted(version.stablehlo_minimum) + " to " + dotted(version.stablehlo),
       .expected = "a plugin that reads StableHLO " + dotted(kStablehlo),
       .fix = "install the plugin that Portatune is tested with: portatune plugin install cpu, cuda13, cuda12 or tpu"});
}

void read_attributes(const PJRT_Api& api, PluginVersion& version) {
  const auto found = PORTATUNE_PJRT(api, PJRT_Plugin_Attributes);
  for (size_t i = 0; i < found.num_attributes; ++i) {
    const PJRT_NamedValue& attribute = found.attributes[i];
    const std::string_view name(attribute.name, attribute.name_size);
    if (name == "cuda_version" && attribute.type == PJRT_NamedValue_kInt64) version.cuda = attribute.int64_value;
    auto* target = name == "stablehlo_current_version"   ? &version.stablehlo
                   : name == "stablehlo_minimum_version" ? &version.stablehlo_minimum
                                                         : nullptr;
    if (target == nullptr || attribute.type != PJRT_NamedValue_kInt64List) continue;
    std::copy_n(attribute.int64_array_value, std::min(attribute.value_size, target->size()), target->begin());
  }
}

}  // namespace

void prepare_environment() {
  // Plugins may write only fatal messages to the terminal; all other faults are returned as errors.
  setenv("TF_CPP_MIN_LOG_LEVEL", "3", kUnlessSet);
  setenv("TPU_MIN_LOG_LEVEL", "3", kUnlessSet);
  setenv("TPU_STDERR_LOG_LEVEL", "3", kUnlessSet);
  setenv("TPU_LOG_DIR", "disabled", kUnlessSet);
  if (machine_has_tpu()) return;
  // These allow compiling for a TPU on another machine. Without them, libtpu asks the cloud's metadata server for the
  // type of this machine and waits for minutes, and it does not let two processes compile at once.
  setenv("TPU_SKIP_MDS_QUERY", "1", kUnlessSet);
  setenv("TPU_ACCELERATOR_TYPE", "v5litepod-4", kUnlessSet);
  setenv("TPU_WORKER_HOSTNAMES", "localhost", kUnlessSet);
  setenv("TPU_WORKER_ID", "0", kUnlessSet);
  setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", kUnlessSet);
}

std::string to_string(const PluginVersion& version) {
  return "PJRT " + std::to_string(version.pjrt_major) + "." + std::to_string(version.pjrt_minor) + ", StableHLO " +
         dotted(version.stablehlo);
}

Plugin::Plugin(fs::path file)
    : file_(std::move(file)),
      api_(load_api(file_)),
      version_{.pjrt_major = api_->pjrt_api_version.major_version,
               .pjrt_minor = api_->pjrt_api_version.minor_version,
               .stablehlo = {},
               .stablehlo_minimum = {},
               .cuda = 0} {
  require_supported_pjrt(file_, version_);
  PORTATUNE_PJRT(*api_, PJRT_Plugin_Initialize);
  read_attributes(*api_, version_);
  require_supported_stablehlo(file_, version_);
}

const Plugin& Plugin::load(const fs::path& file) {
  static std::mutex mutex;
  static std::map<fs::path, std::unique_ptr<const Plugin>> loaded;
  const fs::path canonical = fs::weakly_canonical(file);
  const std::lock_guard lock(mutex);
  std::unique_ptr<const Plugin>& plugin = loaded[canonical];
  if (!plugin) {
    prepare_environment();
    plugin.reset(new Plugin(canonical));
  }
  return *plugin;
}

}  // namespace portatune::pjrt
