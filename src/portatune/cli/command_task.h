// The tasks that CommandTask has added.
#pragma once

#include <map>
#include <string>

#include "portatune/command.h"

namespace portatune::cli {

struct AddedTask {
  std::string architecture;
  CommandTask::Make make;
};
/// By their names.
const std::map<std::string, AddedTask>& added_tasks();

}  // namespace portatune::cli
