#include "portatune/cli/options/recipes/printed_config.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "portatune/base/text/plain_text.h"
#include "portatune/cli/options/recipes/recipe_words.h"
#include "portatune/run/inputs/task/given_options.h"
#include "portatune/tasks/registry.h"

namespace portatune::cli {
namespace {

std::string as_yaml(const CLI::Option& option) {
  const std::vector<std::string> values = option.results();
  const bool is_list = option.get_expected_max() > 1 && values.size() > 1;
  YAML::Emitter out;
  if (is_list) {
    out << YAML::Flow << values;
  } else {
    out << values.back();
  }
  return out.c_str();
}

// "# " turns the line of a default into a comment.
std::string line_of(const CLI::Option& option, const std::map<std::string, std::string>& places) {
  const std::string key = run::as_key(option.get_name());
  if (option.count() == 0) {
    const std::string value = option.get_expected_max() == 0 ? "false" : option.get_default_str();
    return fmt::format("# {}: {}  # default\n", key, value.empty() ? "none" : value);
  }
  const auto place = places.find(option.get_name());
  return fmt::format("{}: {}  # {}\n", key, as_yaml(option),
                     place == places.end() ? "command line" : printable(place->second));
}

// The value of --task or its default, which is no task if the task follows from the model.
std::string task_of(const CLI::App& command) {
  const CLI::Option* option = command.get_option_no_throw("--task");
  if (option == nullptr) return {};
  return option->count() > 0 ? option->results().back() : option->get_default_str();
}

bool is_of_task(const CLI::Option& option, const std::string& task) {
  const std::vector<std::string> names = tasks::task_names();
  if (std::ranges::find(names, task) == names.end()) return true;
  const std::vector<std::string> owners = tasks::tasks_with(run::as_key(option.get_name()));
  return owners.empty() || std::ranges::find(owners, task) != owners.end();
}

}  // namespace

std::string printed_config(const CLI::App& command, const std::map<std::string, std::string>& places) {
  const std::string task = task_of(command);
  std::string text = fmt::format("# portatune {} --recipe FILE runs with these options.\n", command.get_name());
  for (const std::string& group : command.get_groups()) {
    std::string lines;
    for (const CLI::Option* option : command.get_options()) {
      const bool is_shown = option->count() > 0 || is_of_task(*option, task);
      const bool is_setting = option->get_name() != kRecipeOption && option->get_name() != kPrintConfig;
      if (option->get_group() == group && is_shown && is_setting) lines += line_of(*option, places);
    }
    if (!lines.empty()) text += fmt::format("\n# {}\n{}", group, lines);
  }
  return text;
}

}  // namespace portatune::cli
