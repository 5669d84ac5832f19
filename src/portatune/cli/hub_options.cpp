// The options of `portatune download` and `portatune cache`.
#include <CLI/CLI.hpp>

#include "portatune/cli/option_group.h"
#include "portatune/cli/options.h"

namespace portatune::cli {

void add_options(CLI::App& command, DownloadArguments& a) {
  Group(command, "Model")
      .text("name", a.name, "model of the Hugging Face Hub: org/name or org/name@revision")
      ->required();
  Group output(command, "Output");
  output.flag("--json", a.talk.json, "the result as one JSON object");
  output.flag("-q,--quiet", a.talk.quiet, "only results and errors");
}

void add_options(CLI::App& command, CacheListArguments& a) {
  Group(command, "Output").flag("--json", a.talk.json, "a JSON object for each model");
}

void add_options(CLI::App& command, CacheRemoveArguments& a) {
  Group(command, "Model").text("name", a.name, "as portatune cache ls shows it")->required();
  Group(command, "Output").flag("-q,--quiet", a.talk.quiet, "only errors");
}

}  // namespace portatune::cli
