#include "runtime/pjrt/aot.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "portatune/error.h"
#include "portatune/runtime/pjrt/plugin/plugin_package.h"

namespace portatune::pjrt {
namespace {

struct AotPlugin {
  const char* platform;
  const char* variable;
  std::filesystem::path configured;  ///< path in the folder that the build was configured with
};

AotPlugin plugin_of(AotTarget target) {
  const bool is_tpu = target == AotTarget::kTpuV5e;
  const PluginPackage& package = plugin_package(is_tpu ? "tpu" : "cuda13");
  return {is_tpu ? "tpu" : "cuda", is_tpu ? "PORTATUNE_TPU_PLUGIN" : "PORTATUNE_CUDA_PLUGIN",
          std::filesystem::path(PORTATUNE_DEPS) / package.folder_name() / package.file};
}

std::string h100_target_config() {
  std::ifstream in(PORTATUNE_TEST_DATA "/pjrt/h100.textproto");
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string name_of_target(const testing::TestParamInfo<AotTarget>& target) {
  return target.param == AotTarget::kTpuV5e ? "TpuV5e" : "CudaH100";
}

std::string platform_of(AotTarget target) { return plugin_of(target).platform; }

std::filesystem::path aot_plugin_file(AotTarget target) {
  const AotPlugin plugin = plugin_of(target);
  if (std::getenv(plugin.variable) != nullptr) return find_plugin(plugin.platform);
  return find_plugin(plugin.platform, plugin.configured);
}

const Plugin& aot_plugin(AotTarget target) { return Plugin::load(aot_plugin_file(target)); }

Topology aot_topology(AotTarget target) {
  const Plugin& plugin = aot_plugin(target);
  return target == AotTarget::kTpuV5e ? tpu_topology(plugin, "v5e:2x2")
                                      : cuda_topology(plugin, h100_target_config(), 8);
}

std::string missing_plugin(AotTarget target) {
  try {
    aot_plugin_file(target);
    return {};
  } catch (const DeviceError& error) {
    if (std::getenv("CI") != nullptr || std::getenv("PORTATUNE_REQUIRE_AOT") != nullptr) throw;
    return error.what();
  }
}

}  // namespace portatune::pjrt
