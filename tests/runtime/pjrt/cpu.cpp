#include "runtime/pjrt/cpu.h"

#include <cstdlib>

#include "portatune/runtime/pjrt/plugin/plugin_package.h"

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

std::vector<Tensor> run_on_cpu(const std::string& module_text, const std::vector<Tensor>& arguments) {
  const LoadedExecutable executable = cpu_client().compile(module_text);
  std::vector<Buffer> buffers;
  for (const Tensor& argument : arguments) buffers.push_back(cpu_client().copy_to_device(argument.view()));
  std::vector<Buffer*> pointers;
  for (Buffer& buffer : buffers) pointers.push_back(&buffer);
  std::vector<Tensor> results;
  for (const Buffer& result : executable.execute(pointers)) results.push_back(result.to_host());
  return results;
}

}  // namespace portatune::pjrt
