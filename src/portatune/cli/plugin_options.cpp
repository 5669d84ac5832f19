// The options of `portatune plugin`.
#include <CLI/CLI.hpp>

#include "portatune/cli/option_group.h"
#include "portatune/cli/options.h"
#include "portatune/install/package_index.h"

namespace portatune::cli {

void add_options(CLI::App& command, PluginListArguments& a) {
  Group(command, "Output").flag("--json", a.talk.json, "a JSON object for each plugin");
}

void add_options(CLI::App& command, PluginInstallArguments& a) {
  Group plugin(command, "Plugin");
  plugin.text("name", a.name, "cpu, cuda13, cuda12 or tpu")->required();
  plugin.text("--index-url", a.index_url, "URL of a Python package index")
      ->default_str("$PIP_INDEX_URL, or " + std::string(kPyPi));
  Group output(command, "Output");
  output.flag("--json", a.talk.json, "the result as one JSON object");
  output.flag("-q,--quiet", a.talk.quiet, "only results and errors");
}

}  // namespace portatune::cli
