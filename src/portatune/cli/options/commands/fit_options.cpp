#include "portatune/cli/options/commands/fit_options.h"

#include <CLI/CLI.hpp>

#include "portatune/cli/options/commands/model_options.h"
#include "portatune/cli/options/commands/process_options.h"
#include "portatune/cli/options/commands/row_options.h"
#include "portatune/cli/options/described_options.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/recipes/recipe_words.h"
#include "portatune/tasks/registry.h"

namespace portatune::cli {
namespace {

// The options of a training run in the order of the help: RunOptions and its parts.
std::vector<OptionField> run_fields(FitArguments& a) {
  std::vector<OptionField> fields;
  for (const std::vector<OptionField>& part :
       {fields_of<run::RunOptions>(a), fields_of(a.training), fields_of(a.lora), fields_of(a.best_model)}) {
    fields.insert(fields.end(), part.begin(), part.end());
  }
  return fields;
}

void add_run(CLI::App& command, FitArguments& a) {
  add_fields(command, run_fields(a));
  for (const char* files : {"--train", "--validation", "--test"}) refuse_standard_input(command, files);
  CLI::Option* newest = command.get_option("--resume");
  for (const char* other : {"--overwrite-output", "--resume-from-checkpoint"}) {
    command.get_option(other)->excludes(newest);
  }
}

}  // namespace

void add_run_options(CLI::App& command, FitArguments& a) {
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, a.model, tasks::trained_task_names());
  add_run(command, a);
  add_table(data, a.model);
  add_task_options(command, a.model, OptionUse::kTraining);
  add_padding(Group(command, "Training"), a.model.padding);
  add_fields(command, hang_timeout_field(a.hang_timeout_s));
  add_fields(command, fields_of(a.reporting));
  add_device(command, a.device);
  add_mesh(command, a.device);
}

std::vector<OptionField> fit_fields(FitArguments& a) {
  std::vector<OptionField> fields = run_fields(a);
  for (const std::vector<OptionField>& part : {tasks::option_fields(a.model.options), fields_of(a.device),
                                               hang_timeout_field(a.hang_timeout_s), fields_of(a.reporting)}) {
    fields.insert(fields.end(), part.begin(), part.end());
  }
  return fields;
}

}  // namespace portatune::cli
