// portatune recipes: lists the recipes that come with the command, or shows one.
#include <fmt/format.h>

#include "portatune/cli/commands.h"
#include "portatune/cli/options/recipes/recipe.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/terminal/report.h"

namespace portatune::cli {

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
