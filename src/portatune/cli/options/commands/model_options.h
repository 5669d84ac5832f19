// Options of the model that several commands have: its folder, its task, its adapters.
#pragma once

#include <string>
#include <vector>

#include "portatune/cli/options/arguments.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/option_fields.h"

namespace portatune::cli {

/// The option --model.
void add_model_folder(Group group, run::ModelOptions& model);
/// The options --model and --task.
/// tasks  those that the help names; other tasks are refused later, with the reason
void add_model(Group group, run::ModelOptions& model, const std::vector<std::string>& tasks);
/// The options of tasks, up to those with this use.
/// errors  UsageError for an option of a task with the name of another option of the command
void add_task_options(CLI::App& command, run::ModelOptions& model, OptionUse last);
/// The adapters of a trained model.
void add_adapters(Group group, std::vector<run::NamedAdapter>& adapters);

}  // namespace portatune::cli
