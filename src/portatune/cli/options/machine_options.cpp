// The options of commands about the machine, models by name, recipes and scripts.
#include <CLI/CLI.hpp>
#include <string>

#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/options.h"
#include "portatune/machine/install/package_index.h"

namespace portatune::cli {

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

void add_options(CLI::App& command, RecipesArguments& a) {
  Group options(command, "Options");
  options.text("name", a.name, "a recipe to show, or a file")->default_str("none");
  options.flag("--schema", a.schema, "print the JSON Schema of recipes, for editors");
  options.text("--command", a.name, "with --schema: the options of this command alone")->default_str("all");
}

void add_options(CLI::App& command, RunScriptArguments& a) {
  Group options(command, "Options");
  options.path("script", a.script, "a Python script")->required();
  options.texts("arguments", a.arguments, "its arguments")->default_str("none");
}

}  // namespace portatune::cli
