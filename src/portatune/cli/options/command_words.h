// The words of a command line before they are parsed: the command that they name, and requests for a text.
#pragma once

#include <string>
#include <vector>

#include "portatune/cli/options/help/help.h"

namespace portatune::cli {

inline constexpr const char* kHelpCommand = "help";
inline constexpr const char* kManCommand = "man";
inline constexpr const char* kRunCommand = "run";

/// Whether the words run a script. All words after its name are arguments of the script, options too.
bool is_script(const std::vector<std::string>& words);

/// Whether the words after the first one name a command as the topic of help or of a manual page.
bool has_topic(const std::vector<std::string>& words);

/// Whether the words ask for help, which has priority over every error.
bool asks_for_help(const std::vector<std::string>& words);

/// The request of such words, for the terminal of stdout.
HelpRequest help_request(const std::vector<std::string>& words);

/// The command that the first words name, or the whole program if they name no command.
const CLI::App& command_in(const std::vector<std::string>& words, const CLI::App& program);

/// The values of an option.
std::vector<std::string> values_of(const std::string& option, const std::vector<std::string>& words);

/// The words as CLI11 parses them, from the last to the first: those of the command line, then those of its recipe.
std::vector<std::string> reversed(const std::vector<std::string>& words, const std::vector<std::string>& of_recipe);

}  // namespace portatune::cli
