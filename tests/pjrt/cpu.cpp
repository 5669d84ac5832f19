#include "pjrt/cpu.h"

#include <cstdlib>

#include "portune/pjrt/plugin_package.h"

namespace portune::pjrt {

const Plugin& cpu_plugin() {
  if (std::getenv("PORTUNE_CPU_PLUGIN") != nullptr) return Plugin::load(find_plugin("cpu"));
  const PluginPackage& package = plugin_package("cpu");
  return Plugin::load(std::filesystem::path(PORTUNE_DEPS) / package.folder_name() / package.file);
}

const Client& cpu_client() {
  static const Client client = Client::open("cpu", {.plugin_file = cpu_plugin().file()});
  return client;
}

}  // namespace portune::pjrt
