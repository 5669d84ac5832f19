// Options that only some tasks have.
#pragma once

#include <string>
#include <vector>

namespace portatune::cli {

/// An option that was given, and where: "fit", or the line of a recipe.
struct GivenOption {
  std::string name, place;
  std::vector<std::string> values = {};  ///< "true" for a flag
};

/// Whether only some tasks have this option, and this task is one of them.
bool is_option_of(const std::string& task, const std::string& option);

/// errors  UsageError for an option that the task does not have, which names those that have it
void require_options_of(const std::string& task, const std::vector<GivenOption>& given);

}  // namespace portatune::cli
