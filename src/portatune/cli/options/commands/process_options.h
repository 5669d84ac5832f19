// Options of the process that runs a command: its devices, its timeout, what it prints.
#pragma once

#include <string>
#include <vector>

#include "portatune/cli/options/arguments.h"
#include "portatune/option_fields.h"

namespace CLI {
class App;
}

namespace portatune::cli {

/// The type of the model's computations.
void add_dtype(CLI::App& command, DType& dtype, const std::string& help = "type of activations; weights stay float32");
/// The options of the device, without --mesh.
void add_device(CLI::App& command, DeviceOptions& device);
/// The mesh of devices that work together.
void add_mesh(CLI::App& command, DeviceOptions& device);
/// Returns whether an option is about the device: "--no-kernels".
bool is_of_device(const std::string& option);

/// The description of --hang-timeout.
std::vector<OptionField> hang_timeout_field(HangTimeout& timeout_s);

/// Adds the options of what a command prints.
/// group  heading in the help
void add_reporting(CLI::App& command, Reporting& reporting, const std::vector<std::string>& names = {"json", "quiet"},
                   const std::string& group = "Output");
/// Returns whether an option is about what a command prints: "--quiet".
bool is_of_report(const std::string& option);

}  // namespace portatune::cli
