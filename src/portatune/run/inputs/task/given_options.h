// The options that the user gave by name.
#pragma once

#include <string>
#include <vector>

#include "portatune/run.h"
#include "portatune/tasks/task_spec.h"

namespace portatune::run {

/// The key of an option in a recipe, spelled as in transformers: "--max-length" is "max_length".
std::string as_key(const std::string& option);

/// errors  UsageError for an option that the task does not have, which names those that have it
void require_options_of(const TaskSpec& task, const std::vector<GivenOption>& given);

}  // namespace portatune::run
