// A recipe's settings as words of the command line.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/recipes/recipe.h"

namespace portatune::cli {

/// The option that names a recipe on the command line.
inline constexpr const char* kRecipeOption = "--recipe";

/// The options --recipe and --print-config. The parser itself reads their values before those of other options.
void add_recipe(Group group);

struct RecipeWords {
  std::vector<std::string> words;             ///< words to be read after the typed ones
  std::map<std::string, std::string> places;  ///< the place where an option is set: {"--batch-size", "recipe.yaml:7"}
};

/// The settings of options that were not typed. Typed options override the recipe's settings, also settings
/// that they exclude.
/// typed            the words of the command line
/// of_other_command whether another command has this option, so that one recipe serves several commands
/// errors           UsageError with file and line for a key that is no option, twice the same option, a list where one
///                  value is wanted
RecipeWords words_of(const Recipe& recipe, const CLI::App& command, const std::vector<std::string>& typed,
                     const std::function<bool(const std::string& option)>& of_other_command);

}  // namespace portatune::cli
