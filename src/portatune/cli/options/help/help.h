// The text of --help: examples first, then a line for each option with its default.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace portatune::cli {

/// A request for help.
struct HelpRequest {
  int columns = 80;  ///< width of the terminal; lines are wrapped at it
  bool all = false;  ///< every option; otherwise the main options of a command with many
  std::string task;  ///< show the options of this task alone; empty: those of all tasks
};

/// Help of a command, or of the whole program if it has commands. The footer of an App holds its examples.
/// errors  UsageError for an unknown task
std::string help(const CLI::App& app, const HelpRequest& request);

/// The commands of a program, or of a group of commands.
std::vector<const CLI::App*> commands_in(const CLI::App& app);

/// The words that call a command: "portatune tfrecord write".
std::string words_of(const CLI::App& app);

/// What follows the description of an option: " [required]", its default, or nothing.
std::string note_on(const CLI::Option& option);

}  // namespace portatune::cli
