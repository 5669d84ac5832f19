// The tasks that CommandTask has added.
#pragma once

#include <map>
#include <string>

#include "portune/command.h"

namespace portune::cli {

/// By their names.
const std::map<std::string, CommandTask::Make>& added_tasks();

}  // namespace portune::cli
