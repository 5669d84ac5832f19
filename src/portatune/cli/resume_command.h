// The command that goes on with an interrupted training.
#pragma once

#include <string>
#include <vector>

namespace portatune::cli {

/// `words` (without the program's name) as one can paste them into a shell, with this checkpoint instead of any other;
/// if it is empty, with the newest.
std::string resume_command(const std::vector<std::string>& words, const std::string& checkpoint);

}  // namespace portatune::cli
