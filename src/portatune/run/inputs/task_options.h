// Options that only some tasks have.
#pragma once

#include <string>
#include <vector>

#include "portatune/run.h"

namespace portatune::run {

/// Whether only some tasks have this option, and this task is one of them.
bool is_option_of(const std::string& task, const std::string& option);

/// The key of an option in a recipe, spelled as in transformers: "--max-length" is "max_length".
std::string as_key(const std::string& option);

/// errors  UsageError for an option that the task does not have, which names those that have it
void require_options_of(const std::string& task, const std::vector<GivenOption>& given);

}  // namespace portatune::run
