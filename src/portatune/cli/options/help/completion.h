// Scripts by which shells complete the words of the command.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace portatune::cli {

/// The shells that completion() knows.
const std::vector<std::string>& shells();

/// The script that completes commands, options and the words of choices in a shell; all other words are files.
/// shell  one of shells()
std::string completion(CLI::App& app, const std::string& shell);

}  // namespace portatune::cli
