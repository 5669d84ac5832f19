// Recipes: YAML files with the options of a command.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace portatune::cli {

/// A line such as `batch_size: 32` or `train_file: [a.csv, b.csv]`.
struct Setting {
  std::string key;
  std::vector<std::string> values;  ///< one value, unless it is a list
  bool is_list;
  int64_t line;  ///< counted from 1
};

struct Recipe {
  std::filesystem::path file;
  std::vector<Setting> settings;
};

/// name    a file, or a recipe that is shipped with the command: glue/cola is recipes/glue/cola.yaml beside it, or in
///         ../share/portatune
/// errors  NotFoundError; UsageError with file and line for what is not YAML, or no map of names to values and lists
Recipe read_recipe(const std::string& name);

/// The settings of each stage in a YAML file with a list of them. The file of each is this one.
/// errors  NotFoundError; UsageError as read_recipe(), and for a file without stages
std::vector<Recipe> read_stages(const std::filesystem::path& file);

/// "FILE:LINE" of a setting, for errors.
std::string place_of(const Recipe& recipe, const Setting& setting);

/// Names of the recipes that are shipped with the command, in alphabetical order: "glue/cola".
std::vector<std::string> shipped_recipes();

}  // namespace portatune::cli
