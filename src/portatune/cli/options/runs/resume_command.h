// The command that resumes an interrupted training.
#pragma once

#include <string>
#include <vector>

namespace portatune::cli {

/// The command of `words` (without the program's name), quoted for a shell. Secrets of URLs are left out.
std::string command_of(const std::vector<std::string>& words);

/// The command of `words` (without the program's name) to paste into a shell, with this checkpoint instead of any
/// other; if it is empty, with the newest. Secrets of URLs are left out.
std::string resume_command(const std::vector<std::string>& words, const std::string& checkpoint);

/// Advice on secrets of URLs that the command leaves out; empty if there are none.
std::string note_on_secrets(const std::vector<std::string>& words);

}  // namespace portatune::cli
