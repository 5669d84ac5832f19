// portatune devices: shows the plugin in use, its devices with their memory, and the kernels that it may call.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portatune/base/text/number.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/terminal/report.h"

namespace portatune::cli {
namespace {

using nlohmann::ordered_json;

std::string describe(const DeviceMemory& memory) {
  const std::string in_use = binary_size(memory.in_use_bytes);
  return memory.limit_bytes ? in_use + " of " + binary_size(*memory.limit_bytes) + " in use" : in_use + " in use";
}

ordered_json json_of(const std::optional<DeviceMemory>& memory) {
  if (!memory) return nullptr;
  ordered_json object = {{"in_use_bytes", memory->in_use_bytes}};
  object["limit_bytes"] = memory->limit_bytes ? ordered_json(*memory->limit_bytes) : ordered_json(nullptr);
  return object;
}

std::string table_of(const DeviceFacts& facts, const Target& target) {
  std::string text = fmt::format("{:<10}{}\n{:<10}{}\n{:<10}{}\n", "platform", facts.platform, "plugin",
                                 facts.plugin.string(), "version", facts.version);
  for (size_t i = 0; i < facts.devices.size(); ++i) {
    text += fmt::format("{:<10}{}\n", "device", facts.devices[i]);
    if (facts.memory[i]) text += fmt::format("{:<10}{}\n", "memory", describe(*facts.memory[i]));
  }
  text += fmt::format("{:<10}{}\n", "kernels", target.kernels.empty() ? "none in use" : facts.kernels_version);
  for (const std::string& kernel : target.kernels) text += fmt::format("{:<10}  {}\n", "", kernel);
  return text;
}

std::string json_of(const DeviceFacts& facts, const Target& target) {
  ordered_json memory = ordered_json::array();
  for (const std::optional<DeviceMemory>& of_device : facts.memory) memory.push_back(json_of(of_device));
  return line_of({{"platform", facts.platform},
                  {"plugin", facts.plugin.string()},
                  {"version", facts.version},
                  {"devices", facts.devices},
                  {"memory", memory},
                  {"kernels_version", facts.kernels_version},
                  {"kernels", target.kernels}});
}

}  // namespace

int execute(const DevicesArguments& a) {
  DeviceOptions options = a.device;
  options.see_all = true;
  const bool is_gpu = options.device.starts_with("cuda");
  if (is_gpu && !options.gpu_memory.preallocate) options.gpu_memory.preallocate = false;  // the command runs no program
  const Device device(options);
  const DeviceFacts facts = device.facts();
  print_result(a.reporting.json ? json_of(facts, device.target()) : table_of(facts, device.target()));
  return kOk;
}

}  // namespace portatune::cli
