// The command that goes on with an interrupted training.
#pragma once

#include <string>
#include <vector>

namespace portatune::cli {

/// `words` (without the program's name) as one can paste them into a shell, with this checkpoint instead of any other;
/// if it is empty, with the newest. Secrets of URLs are left out.
std::string resume_command(const std::vector<std::string>& words, const std::string& checkpoint);

/// What to do about secrets of URLs that the command leaves out; empty if there are none.
std::string note_on_secrets(const std::vector<std::string>& words);

/// A word as a shell takes it.
std::string quoted(const std::string& word);

}  // namespace portatune::cli
