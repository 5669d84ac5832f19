// The text of --help: examples first, then a line for each option with its default.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace portatune::cli {

/// Help of a command, or of the whole program if it has commands. The footer of an App holds its examples.
std::string help(const CLI::App& app);

}  // namespace portatune::cli
