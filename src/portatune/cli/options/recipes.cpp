// portatune recipes: lists the recipes that come with the command, or shows one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "portatune/cli/options/commands.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/options.h"
#include "portatune/cli/options/recipe.h"
#include "portatune/cli/terminal/exit_code.h"
#include "portatune/cli/terminal/report.h"

namespace portatune::cli {

void add_options(CLI::App& command, RecipesArguments& a) {
  Group options(command, "Options");
  options.text("name", a.name, "a recipe to show, or a file")->default_str("none");
  options.flag("--schema", a.schema, "print the JSON Schema of recipes, for editors");
  options.text("--command", a.name, "with --schema: the options of this command alone")->default_str("all");
}

int execute(const RecipesArguments& a) {
  if (a.name.empty()) {
    print_result(fmt::format("{}\n", fmt::join(shipped_recipes(), "\n")));
    return kOk;
  }
  const Recipe recipe = read_recipe(a.name);
  std::string text = "# " + recipe.file.string() + "\n";
  for (const Setting& setting : recipe.settings) {
    const std::string values = fmt::format("{}", fmt::join(setting.values, ", "));
    text += setting.key + ": " + (setting.is_list ? "[" + values + "]" : values) + "\n";
  }
  print_result(text);
  return kOk;
}

}  // namespace portatune::cli
