// The tasks that the program knows by name.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "portatune/tasks/task_spec.h"

namespace portatune::tasks {

/// The tasks of the library, then the added ones in the order of their names.
/// errors  UsageError for two tasks of one name
std::vector<const TaskSpec*> registry();

std::vector<std::string> task_names();
/// Names of the tasks that learn from rows.
std::vector<std::string> trained_task_names();

/// errors  UsageError for an unknown name
const TaskSpec& task_called(const std::string& name);

/// The task of the model's class; text classification for a model without a head, whose error names what is missing.
const TaskSpec& task_of(const std::filesystem::path& folder);

/// The options of all tasks, each once, in a group of the help. A value is set for every task that has the option.
/// errors  UsageError for two types of one option
std::vector<OptionField> option_fields(TaskOptions& options);

/// Names of the tasks that have an option; none: every task has it, or there is no such option.
/// option  the key of recipes: "max_length"
std::vector<std::string> tasks_with(const std::string& option);

/// Returns whether a task predicts with a trained model and learns nothing.
bool only_predicts(const TaskSpec& task);
/// The options that only such tasks have, and those that other tasks have for predictions alone. fit and evaluate do
/// not need them.
std::set<std::string> prediction_options();

/// Returns whether only some tasks have an option, and this task is one of them.
bool has_option(const TaskSpec& task, const std::string& option);

}  // namespace portatune::tasks
