#include "portatune/cli/options/commands/process_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "portatune/cli/options/described_options.h"

namespace portatune::cli {
namespace {

bool is_among(const std::vector<OptionField>& fields, const std::string& option) {
  return std::ranges::any_of(fields, [&](const OptionField& field) { return as_option_name(field.name) == option; });
}

}  // namespace

void add_dtype(CLI::App& command, DType& dtype, const std::string& help) {
  OptionFields fields;
  fields("dtype", dtype, help);
  add_fields(command, std::move(fields).fields(), "Device");
}

void add_device(CLI::App& command, DeviceOptions& device) {
  const auto as_cuda = [](const std::string& name) {
    return name == "gpu" || name.starts_with("gpu:") ? "cuda" + name.substr(3) : name;
  };
  add_fields(command, without(fields_of(device), "mesh"));
  command.get_option("--device")->transform(as_cuda, "");
}

void add_mesh(CLI::App& command, DeviceOptions& device) { add_fields(command, only(fields_of(device), {"mesh"})); }

std::vector<OptionField> hang_timeout_field(HangTimeout& timeout_s) {
  OptionFields fields;
  fields.group("Output");
  fields("hang_timeout", timeout_s, "seconds without a step, batch or exchange after which the command ends; 0: none",
         {.highest = 1e6, .decides = false, .default_help = "0; 1800 with several processes"});
  return std::move(fields).fields();
}

void add_reporting(CLI::App& command, Reporting& reporting, const std::vector<std::string>& names,
                   const std::string& group) {
  add_fields(command, only(fields_of(reporting), names), group);
}

bool is_of_report(const std::string& option) {
  Reporting reporting;
  return is_among(fields_of(reporting), option);
}

bool is_of_device(const std::string& option) {
  DeviceOptions device;
  return is_among(fields_of(device), option);
}

}  // namespace portatune::cli
