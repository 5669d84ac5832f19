#include "portatune/run/inputs/added_tasks.h"

#include "portatune/base/message.h"
#include "portatune/base/number.h"
#include "portatune/error.h"

namespace portatune {
namespace {

// The registry exists from the first added task on: tasks are added before main(), in no certain order.
std::map<std::string, run::AddedTask>& registry() {
  static std::map<std::string, run::AddedTask> tasks;
  return tasks;
}

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& expected) {
  throw UsageError({.where = "option " + name, .given = in_quotes(value), .expected = expected});
}

}  // namespace

CommandTask::CommandTask(const char* name, const char* architecture, Make make) {
  registry().emplace(name, run::AddedTask{architecture, make});
}

const std::map<std::string, run::AddedTask>& run::added_tasks() { return registry(); }

const std::string* TaskOptions::find(const std::string& name) const {
  asked_for_.insert(name);
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::string TaskOptions::text(const std::string& name, std::string fallback) const {
  const std::string* value = find(name);
  return value != nullptr ? *value : std::move(fallback);
}

double TaskOptions::number(const std::string& name, double fallback) const {
  const std::string* value = find(name);
  if (value == nullptr) return fallback;
  const auto number = number_in<double>(*value);
  if (!number) refuse(name, *value, "a number");
  return *number;
}

bool TaskOptions::flag(const std::string& name, bool fallback) const {
  const std::string* value = find(name);
  if (value == nullptr) return fallback;
  if (*value != "true" && *value != "false") refuse(name, *value, "true or false");
  return *value == "true";
}

void TaskOptions::require_all_read() const {
  for (const auto& [name, value] : values_) {
    if (asked_for_.contains(name)) continue;
    const std::vector<std::string> known(asked_for_.begin(), asked_for_.end());
    throw UsageError({.where = "option",
                      .given = in_quotes(name),
                      .expected = known.empty() ? "none, as the task has no options" : "one of " + list_of(known)});
  }
}

}  // namespace portatune
