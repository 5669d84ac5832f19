// Words of commands that users paste into a shell.
#pragma once

#include <string>

namespace portatune {

/// A word as a shell reads it: in quotes if it is empty or has characters with a meaning of their own.
std::string shell_word(const std::string& word);

}  // namespace portatune
