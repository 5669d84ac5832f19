// The JSON Schema of recipes, by which editors complete and check them.
#pragma once

#include <string>
#include <vector>

#include "portatune/option_fields.h"

namespace CLI {
class App;
}

namespace portatune::cli {

/// A JSON Schema (draft 2020-12) of recipes: the options of these commands with types, ranges, words and help. Options
/// of other tasks than the recipe's are refused.
/// description  what the recipes are for
/// commands     the commands that read them
/// fields       descriptions of options; an option without one is a text, a number or a list by its form in the help
std::string recipe_schema(const std::string& description, const std::vector<const CLI::App*>& commands,
                          const std::vector<OptionField>& fields);

}  // namespace portatune::cli
