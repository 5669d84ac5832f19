#include "pjrt/cpu.h"

#include <cstdlib>

namespace portune::pjrt {

const Plugin& cpu_plugin() {
  const bool named = std::getenv("PORTUNE_CPU_PLUGIN") != nullptr;
  return Plugin::load(named ? find_plugin("cpu") : PORTUNE_DEPS "/xla_cpu_pjrt-0.0.1/xla_cpu_pjrt.so");
}

const Client& cpu_client() {
  static const Client client = Client::open("cpu", {.plugin_file = cpu_plugin().file()});
  return client;
}

}  // namespace portune::pjrt
