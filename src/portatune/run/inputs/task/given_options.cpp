#include "portatune/run/inputs/task/given_options.h"

#include <algorithm>

#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/tasks/registry.h"

namespace portatune::run {

std::string as_key(const std::string& option) {
  std::string key = option.substr(option.find_first_not_of('-'));
  std::ranges::replace(key, '-', '_');
  return key;
}

void require_options_of(const TaskSpec& task, const std::vector<GivenOption>& given) {
  for (const GivenOption& option : given) {
    const std::vector<std::string> owners = tasks::tasks_with(as_key(option.name));
    if (owners.empty() || std::ranges::find(owners, task.name) != owners.end()) continue;
    throw UsageError({.where = option.place,
                      .given = option.name + " with --task " + task.name,
                      .expected = "an option of this task; this one belongs to " + list_of(owners)});
  }
}

}  // namespace portatune::run
