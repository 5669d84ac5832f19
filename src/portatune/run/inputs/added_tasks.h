// The tasks that CommandTask has added.
#pragma once

#include <map>
#include <string>

#include "portatune/command.h"

namespace portatune::run {

struct AddedTask {
  std::string architecture;
  CommandTask::Make make;
};
/// The added tasks by name.
const std::map<std::string, AddedTask>& added_tasks();

}  // namespace portatune::run
