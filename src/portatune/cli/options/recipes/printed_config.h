// The options of a command as a recipe: `--print-config`.
#pragma once

#include <map>
#include <string>

namespace CLI {
class App;
}

namespace portatune::cli {

/// The flag that prints the options in place of running the command.
inline constexpr const char* kPrintConfig = "--print-config";

/// A recipe that repeats the options of a parsed command. Each line ends with a comment that names the origin of the
/// value. Defaults are comments as a whole. Options of other tasks than that of the command are left out; if the task
/// follows from the model, all options are printed.
/// places  the place where a recipe sets an option: {"--batch-size", "recipe.yaml:7"}; others were typed
std::string printed_config(const CLI::App& command, const std::map<std::string, std::string>& places);

}  // namespace portatune::cli
