#include "portatune/cli/options/parse_errors.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "portatune/base/text/message.h"
#include "portatune/cli/options/command_words.h"
#include "portatune/cli/options/help/help.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/cli/options/names/own_words.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

std::vector<std::string> names_in(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_in(app)) names.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(const std::string& name, const CLI::App& app) {
  return suggestion(nearest(name, names_in(app)));
}

// The required options: " --model PATH --train FILE...".
std::string required_options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required()) continue;
    text += " " + (option->get_positional() ? "" : option->get_name() + " ") + option->get_type_name();
  }
  return text;
}

}  // namespace

const CLI::App& chosen_in(const CLI::App& program) {
  const CLI::App* app = &program;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

std::string full_name(const CLI::App& command) {
  const std::string words = words_of(command);
  return words.substr(words.find(' ') + 1);  // the program itself has one word
}

std::string ParseErrors::place_of(const CLI::App& app) const { return &app == &app_ ? "command line" : full_name(app); }

std::string ParseErrors::place_of(std::string_view message, const RecipeWords& recipe) const {
  for (const auto& [option, place] : recipe.places) {
    if (message == option || message.starts_with(option + ":")) return place;
  }
  return place_of(chosen());
}

std::string ParseErrors::advice(const CLI::App& app) const {
  return &app == &app_ ? "see portatune --help" : "see portatune " + full_name(app) + " --help";
}

void ParseErrors::reject_unknown_topic(const std::vector<std::string>& words, const CLI::App& named) const {
  if (!has_topic(words)) return;
  size_t next = 1;  // the word after the names of `named`
  for (const CLI::App* app = &named; app != &app_; app = app->get_parent()) ++next;
  if (next >= words.size() || words[next].starts_with("-")) return;
  const std::string given = "unknown command " + words[next];
  if (&named == &app_) reject(given, instead_of_command(words[next]));
  const std::string fix = did_you_mean(words[next], named);
  throw UsageError({.where = full_name(named), .given = given, .fix = fix.empty() ? advice(named) : fix});
}

void ParseErrors::reject_unknown() const {
  const std::vector<std::string> unknown = app_.remaining(true);
  if (unknown.empty()) return;
  const std::string name = unknown.front().substr(0, unknown.front().find('='));
  if (name.starts_with("-")) reject("unknown option " + name, instead_of_option(name));
  if (!commands_in(chosen()).empty()) reject("unknown command " + name, instead_of_command(name));
  reject("unknown argument " + name, "name the option that it belongs to: " + usage());
}

void ParseErrors::reject(const CLI::ParseError& error, const std::vector<std::string>& words,
                         const RecipeWords& recipe) const {
  reject_unknown();
  reject_missing(error);
  throw UsageError(
      {.where = place_of(error.what(), recipe), .given = complaint(error, words), .fix = advice(chosen())});
}

void ParseErrors::reject(const std::string& given, const std::string& fix) const {
  throw UsageError({.where = place_of(chosen()), .given = given, .fix = fix.empty() ? advice(chosen()) : fix});
}

// Names all missing options in one error.
void ParseErrors::reject_missing(const CLI::ParseError& error) const {
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return;
  std::vector<std::string> missing;
  for (const CLI::Option* option : chosen().get_options()) {
    if (option->get_required() && option->count() == 0) missing.push_back(option->get_name());
  }
  throw UsageError({.where = place_of(chosen()), .given = "no " + list_of(missing), .expected = usage()});
}

// The shortest valid command: "portatune fit --model PATH --train FILE... --output PATH".
std::string ParseErrors::usage() const { return "portatune " + full_name(chosen()) + required_options(chosen()); }

std::string ParseErrors::instead_of_option(const std::string& name) const {
  const OtherOption* other = find_other_option(name);
  const std::string ours = other == nullptr ? name : other->our_option();
  const std::string own = own_option(full_name(chosen()), ours);
  if (!own.empty()) return own;
  for (const CLI::App* command : commands_in(app_)) {
    if (command != &chosen() && command->get_option_no_throw(ours) != nullptr) {
      return ours + " is an option of portatune " + command->get_name();
    }
  }
  return did_you_mean(name, chosen());
}

std::string ParseErrors::instead_of_command(const std::string& name) const {
  const std::string known = &chosen() == &app_ ? command_instead_of(name) : "";
  return known.empty() ? did_you_mean(name, chosen()) : known;
}

// The message of CLI11 in plain words.
std::string ParseErrors::complaint(const CLI::ParseError& error, const std::vector<std::string>& words) const {
  for (const CLI::Option* option : chosen().get_options()) {
    const bool is_meant = std::string_view(error.what()).starts_with(option->get_name() + ":");
    const auto given = static_cast<int>(option->count());
    if (is_meant && given > option->get_expected_max()) {
      const std::vector<std::string> names = names_given(words, chosen(), *option);
      return option->get_name() + " " + std::to_string(given) + " times" +
             (names.size() > 1 ? ", as " + list_of(names) : "");
    }
    if (is_meant && dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
      return option->get_name() + ": a value is missing";
  }
  return error.what();
}

}  // namespace portatune::cli
