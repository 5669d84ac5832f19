// portune devices: which plugin is used, what it runs on, which kernels it may call.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "portune/cli/commands.h"
#include "portune/cli/exit_code.h"
#include "portune/cli/report.h"

namespace portune::cli {
namespace {

std::string table_of(const DeviceFacts& facts, const Target& target) {
  std::string text = fmt::format("{:<10}{}\n{:<10}{}\n{:<10}{}\n", "platform", facts.platform, "plugin",
                                 facts.plugin.string(), "version", facts.version);
  for (const std::string& device : facts.devices) text += fmt::format("{:<10}{}\n", "device", device);
  text += fmt::format("{:<10}{}\n", "kernels", target.kernels.empty() ? "none in use" : facts.kernels_version);
  for (const std::string& kernel : target.kernels) text += fmt::format("{:<10}  {}\n", "", kernel);
  return text;
}

std::string json_of(const DeviceFacts& facts, const Target& target) {
  return line_of({{"platform", facts.platform},
                  {"plugin", facts.plugin.string()},
                  {"version", facts.version},
                  {"devices", facts.devices},
                  {"kernels_version", facts.kernels_version},
                  {"kernels", target.kernels}});
}

}  // namespace

int devices(const DevicesArguments& a) {
  const Device device(a.device);
  const DeviceFacts facts = device.facts();
  print_result(a.talk.json ? json_of(facts, device.target()) : table_of(facts, device.target()));
  return kOk;
}

}  // namespace portune::cli
