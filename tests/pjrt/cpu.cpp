#include "pjrt/cpu.h"

#include <cstdlib>

#include "portatune/pjrt/plugin/plugin_package.h"

namespace portatune::pjrt {

const Plugin& cpu_plugin() {
  if (std::getenv("PORTATUNE_CPU_PLUGIN") != nullptr) return Plugin::load(find_plugin("cpu"));
  const PluginPackage& package = plugin_package("cpu");
  return Plugin::load(std::filesystem::path(PORTATUNE_DEPS) / package.folder_name() / package.file);
}

const Client& cpu_client() {
  static const Client client = Client::open("cpu", {.plugin_file = cpu_plugin().file()});
  return client;
}

}  // namespace portatune::pjrt
