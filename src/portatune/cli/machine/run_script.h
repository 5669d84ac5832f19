// portatune run: a Python script with the allocator of the command.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace portatune::cli {

struct RunScriptArguments {
  std::filesystem::path script;
  std::vector<std::string> arguments;
};

void add_options(CLI::App& command, RunScriptArguments& arguments);

/// Does not return: Python takes the place of this process.
/// errors  NotFoundError without Python, the module, the script or the allocator
int execute(const RunScriptArguments& arguments);

}  // namespace portatune::cli
