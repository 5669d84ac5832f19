#include "portatune/cli/options/command_words.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "portatune/cli/terminal/progress_bar.h"

namespace portatune::cli {
namespace {

bool is_help(const std::string& word) { return word == "--help" || word == "-h" || word == "--help-all"; }

}  // namespace

bool is_script(const std::vector<std::string>& words) {
  return words.size() > 1 && words.front() == kRunCommand && !words[1].starts_with("-");
}

bool has_topic(const std::vector<std::string>& words) {
  const bool is_name = words.size() > 1 && !words[1].starts_with("-");
  return words.front() == kHelpCommand || (words.front() == kManCommand && is_name);
}

bool asks_for_help(const std::vector<std::string>& words) {
  return words.front() == kHelpCommand || std::ranges::any_of(words, is_help);
}

HelpRequest help_request(const std::vector<std::string>& words) {
  const std::vector<std::string> tasks = values_of("--task", words);
  return {.columns = terminal_columns(STDOUT_FILENO),
          .all = std::ranges::count(words, "--help-all") > 0,
          .task = tasks.empty() ? "" : tasks.back()};
}

const CLI::App& command_in(const std::vector<std::string>& words, const CLI::App& program) {
  const CLI::App* app = &program;
  for (size_t i = has_topic(words) ? 1 : 0; i < words.size(); ++i) {
    const std::vector<const CLI::App*> commands = commands_in(*app);
    const auto found = std::ranges::find(commands, words[i], &CLI::App::get_name);
    if (found == commands.end()) break;
    app = *found;
  }
  return *app;
}

std::vector<std::string> values_of(const std::string& option, const std::vector<std::string>& words) {
  std::vector<std::string> values;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size())
      values.push_back(words[++i]);
    else if (words[i].starts_with(option + "="))
      values.push_back(words[i].substr(option.size() + 1));
  }
  return values;
}

std::vector<std::string> reversed(const std::vector<std::string>& words, const std::vector<std::string>& of_recipe) {
  std::vector<std::string> all(of_recipe.rbegin(), of_recipe.rend());
  for (auto word = words.rbegin(); word != words.rend(); ++word) {
    const bool is_empty = word->starts_with("--") && word->find('=') + 1 == word->size();
    if (is_empty) all.emplace_back();  // CLI11 takes "--x=" for an option whose value comes next
    all.push_back(is_empty ? word->substr(0, word->size() - 1) : *word);
  }
  return all;
}

}  // namespace portatune::cli
