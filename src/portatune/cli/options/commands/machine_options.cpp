// The options of commands about the machine, models by name, benchmarks and scripts.
#include <CLI/CLI.hpp>
#include <string>

#include "portatune/cli/options/commands/add_options.h"
#include "portatune/cli/options/commands/model_options.h"
#include "portatune/cli/options/commands/process_options.h"
#include "portatune/cli/options/commands/row_options.h"
#include "portatune/cli/options/described_options.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/recipes/recipe_words.h"
#include "portatune/machine/install/package_index.h"
#include "portatune/tasks/registry.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::cli {

void add_options(CLI::App& command, DevicesArguments& a) {
  add_reporting(command, a.reporting);
  add_device(command, a.device);
}

void add_options(CLI::App& command, DoctorArguments& a) {
  Group output(command, "Output");
  output.path("--bundle", a.bundle, "write the report as NAME.tar.gz, for bug reports; it has no secrets")
      ->default_str("none");
  output.flag("--json", a.reporting.json, "the report as one JSON object");
}

void add_options(CLI::App& command, PluginListArguments& a) {
  Group(command, "Output").flag("--json", a.reporting.json, "a JSON object for each plugin");
}

void add_options(CLI::App& command, PluginInstallArguments& a) {
  Group plugin(command, "Plugin");
  plugin.text("name", a.name, "cpu, cuda13, cuda12 or tpu")->required();
  plugin.text("--index-url", a.index_url, "URL of a Python package index")
      ->default_str("$PIP_INDEX_URL, or " + std::string(kPyPi));
  add_reporting(command, a.reporting);
}

void add_options(CLI::App& command, DownloadArguments& a) {
  Group(command, "Model")
      .text("name", a.name, "model of the Hugging Face Hub: org/name or org/name@revision")
      ->required();
  add_reporting(command, a.reporting);
}

void add_options(CLI::App& command, CacheListArguments& a) {
  Group(command, "Output").flag("--json", a.reporting.json, "a JSON object for each model");
}

void add_options(CLI::App& command, CacheRemoveArguments& a) {
  Group(command, "Model").text("name", a.name, "as portatune cache ls shows it")->required();
  Group(command, "Output").flag("-q,--quiet", a.reporting.quiet, "only errors");
}

void add_options(CLI::App& command, RunScriptArguments& a) {
  Group options(command, "Options");
  options.path("script", a.script, "a Python script")->required();
  options.texts("arguments", a.arguments, "its arguments")->default_str("none");
}

void add_options(CLI::App& command, BenchArguments& a) {
  Group size(command, "Size");
  add_recipe(size);
  add_model_folder(size, a.run.model);
  const std::vector<OptionField> training = fields_of(a.run.training);
  add_fields(command,
             {with_help(only(training, {"from_config"}).front(), "random weights, those of --model are not read")},
             "Size");
  size.number("--batch-size", a.batch_size, "rows of a step, on each device", {.lowest = 1, .highest = 1e6});
  add_fields(
      command,
      {with_help(only(training, {"gradient_accumulation_steps"}).front(), "batches of --batch-size rows in each step")},
      "Size");
  auto& options = a.run.model.options.of<TextClassificationRunOptions>();
  add_fields(command, only(fields_of(options), {"max_length"}), "Size");
  size.number("--steps", a.steps, "steps to time", {.lowest = 1});
  size.number("--warmup", a.warmup, "steps before them");
  add_fields(command, only(training, {"dtype", "remat"}), "Size");
  add_fields(command, only(fields_of(a.run), {"adapter"}));
  add_fields(command, fields_of(a.run.lora));
  add_device(command, a.run.device);
  add_mesh(command, a.run.device);
}

void add_options(CLI::App& command, BenchInputArguments& a) {
  FitArguments& fit = a.fit;
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, fit.model, tasks::trained_task_names());
  const std::vector<OptionField> run = fields_of<run::RunOptions>(fit);
  add_fields(command, only(run, {"train"}));
  refuse_standard_input(command, "--train");
  add_table(data, fit.model);
  Group batches(command, "Batches");
  add_fields(command, {with_help(only(run, {"batch_size"}).front(), "rows of a batch")}, "Batches");
  add_padding(batches, fit.model.padding);
  add_fields(command, only(run, {"packing", "tokens_per_batch", "shuffle_buffer"}), "Batches");
  add_fields(command, {with_help(only(fields_of(fit.training), {"seed"}).front(), "seed of the order of the rows")},
             "Batches");
  add_task_options(command, fit.model, OptionUse::kTraining);
  Group(command, "Output")
      .number("--seconds", a.seconds, "for how long; at least one pass over the rows", {.highest = 1e6});
  add_reporting(command, fit.reporting);
}

}  // namespace portatune::cli
