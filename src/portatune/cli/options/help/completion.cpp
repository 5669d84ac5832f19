#include "portatune/cli/options/help/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "portatune/base/text/shell_word.h"
#include "portatune/cli/options/help/help.h"

namespace portatune::cli {
namespace {

constexpr const char* kBash = "bash";
constexpr const char* kZsh = "zsh";
constexpr const char* kFish = "fish";

// A command, or a group of commands: "fit", "tfrecord write", "tfrecord"; the program itself has an empty name.
struct Topic {
  std::string name;
  CLI::App* app;
};

void add_topics(CLI::App& app, const std::string& name, std::vector<Topic>& topics) {
  topics.push_back({name, &app});
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    add_topics(*command, (name.empty() ? "" : name + " ") + command->get_name(), topics);
  }
}

std::vector<Topic> topics_of(CLI::App& app) {
  std::vector<Topic> topics;
  add_topics(app, "", topics);
  return topics;
}

std::string names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_in(app)) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

std::string names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) names.push_back("--" + option->get_lnames().front());
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// The words of a choice, which are the name of its check: see Group::choice().
std::vector<std::string> words_of_choice(CLI::Option& option) {
  std::string words;
  try {
    words = option.get_validator()->get_name();
  } catch (const CLI::OptionNotFound&) {  // the option has no check
  }
  return words.empty() ? std::vector<std::string>() : CLI::detail::split(words, '|');
}

// A branch of `case` in bash and zsh that sets `proposed`.
std::string branch(const std::string& pattern, const std::string& words) {
  return fmt::format("    {}) proposed={} ;;\n", shell_word(pattern), shell_word(words));
}

// Commands for bash and zsh, which set `proposed` to the proposals for the word `current`: `previous` is the word
// before it, and "$@" are all words between the program and it.
std::string find_proposals(CLI::App& app) {
  std::vector<std::string> commands;
  std::string choices, options, names;
  for (const Topic& topic : topics_of(app)) {
    if (!topic.name.empty()) {
      const size_t blank = topic.name.rfind(' ');
      commands.push_back(shell_word(blank == std::string::npos ? " " + topic.name : topic.name));
    }
    options += branch(topic.name, names_of_options(*topic.app));
    names += branch(topic.name, names_of_commands(*topic.app));
    for (CLI::Option* option : topic.app->get_options()) {
      const std::vector<std::string> words = words_of_choice(*option);
      const std::string previous = option->get_positional() ? topic.app->get_name() : option->get_name();
      if (words.empty()) continue;
      choices += branch(topic.name + " " + previous, fmt::format("{}", fmt::join(words, " ")));
    }
  }
  return fmt::format(
      R"(  local topic= proposed= word
  for word in "$@"; do
    case "$topic $word" in
      {}) topic="${{topic:+$topic }}$word" ;;
    esac
  done
  if [[ $current == -* ]]; then
    case "$topic" in
{}    esac
  else
    case "$topic" in
{}    esac
    case "$topic $previous" in
{}    esac
  fi
)",
      fmt::join(commands, "|"), options, names, choices);
}

std::string bash_script(CLI::App& app) {
  return fmt::format(R"(_portatune() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  set -- "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"
{}  COMPREPLY=($(compgen -W "$proposed" -- "$current"))
}}
complete -o default -F _portatune portatune
)",
                     find_proposals(app));
}

// zsh loads the script as the function _portatune from a folder of its fpath, or evaluates it.
std::string zsh_script(CLI::App& app) {
  return fmt::format(R"(#compdef portatune
_portatune() {{
  local current=$words[CURRENT] previous=$words[CURRENT-1]
  set -- "${{(@)words[2,CURRENT-1]}}"
{}  if [[ -n $proposed ]]; then compadd -- ${{=proposed}}; else _files; fi
}}
if [[ $funcstack[1] == _portatune ]]; then
  _portatune "$@"
else
  (( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
  compdef _portatune portatune
fi
)",
                     find_proposals(app));
}

std::string fish_script(CLI::App& app) {
  std::string text = "complete -c portatune -e\n";
  for (const Topic& topic : topics_of(app)) {
    const std::string names = names_of_commands(*topic.app);
    std::string condition = "__fish_use_subcommand";
    if (!topic.name.empty()) {
      const size_t blank = topic.name.find(' ');
      condition = "__fish_seen_subcommand_from " + topic.name.substr(0, blank);
      if (blank != std::string::npos) condition += "; and __fish_seen_subcommand_from " + topic.name.substr(blank + 1);
      if (!names.empty()) condition += "; and not __fish_seen_subcommand_from " + names;
    }
    const std::string head = "complete -c portatune -n " + shell_word(condition);
    for (const CLI::App* command : commands_in(*topic.app)) {
      text += fmt::format("{} -f -a {} -d {}\n", head, command->get_name(), shell_word(command->get_description()));
    }
    for (CLI::Option* option : topic.app->get_options()) {
      const std::vector<std::string> words = words_of_choice(*option);
      const std::string values =
          words.empty() ? "" : fmt::format(" -f -a {}", shell_word(fmt::format("{}", fmt::join(words, " "))));
      const std::string name = option->get_positional() ? "" : " -l " + option->get_lnames().front();
      const std::string required = option->get_positional() || option->get_expected_max() == 0 ? "" : " -r";
      if (option->get_positional() && words.empty()) continue;
      text += fmt::format("{}{}{}{} -d {}\n", head, name, required, values, shell_word(option->get_description()));
    }
  }
  return text;
}

}  // namespace

const std::vector<std::string>& shells() {
  static const std::vector<std::string> names = {kBash, kZsh, kFish};
  return names;
}

std::string completion(CLI::App& app, const std::string& shell) {
  if (shell == kFish) return fish_script(app);
  return shell == kZsh ? zsh_script(app) : bash_script(app);
}

}  // namespace portatune::cli
