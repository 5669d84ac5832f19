#include "portatune/cli/options/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/base/version.h"
#include "portatune/cli/options/command_set.h"
#include "portatune/cli/options/command_words.h"
#include "portatune/cli/options/commands/fit_options.h"
#include "portatune/cli/options/commands/process_options.h"
#include "portatune/cli/options/help/help.h"
#include "portatune/cli/options/help/manual.h"
#include "portatune/cli/options/model_settings.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/cli/options/names/own_words.h"
#include "portatune/cli/options/parse_errors.h"
#include "portatune/cli/options/recipes/printed_config.h"
#include "portatune/cli/options/recipes/recipe_words.h"
#include "portatune/cli/options/runs/resume_command.h"
#include "portatune/error.h"
#include "portatune/run/inputs/task/given_options.h"

namespace portatune::cli {
namespace {

// The options of the chosen command that were given.
// described  the options that have descriptions
std::vector<run::GivenOption> given_options(const CLI::App& chosen, const RecipeWords& recipe,
                                            const std::vector<OptionField>& described) {
  std::vector<run::GivenOption> options;
  for (const CLI::Option* option : chosen.get_options([](const CLI::Option* o) { return o->count() > 0; })) {
    const std::string name = option->get_name();
    const auto place = recipe.places.find(name);
    const auto field = std::ranges::find(described, run::as_key(name), &OptionField::name);
    options.push_back({.name = name,
                       .place = place == recipe.places.end() ? chosen.get_name() : place->second,
                       .values = option->results(),
                       .decides = field == described.end() || field->rules.decides});
  }
  return options;
}

// The names and values of the options of the chosen command, without those that may differ between machines and those
// of the report.
OptionValues option_values(const CLI::App& chosen) {
  OptionValues values;
  for (const CLI::Option* option : chosen.get_options()) {
    const std::string name = option->get_name(), type = option->get_type_name();
    const bool may_differ = name == "--device" || is_of_report(name);
    if (may_differ || type.starts_with("PATH") || type.starts_with("FILE") || type.starts_with("FOLDER")) continue;
    values.emplace_back(name, fmt::format("{}", fmt::join(option->results(), " ")));
  }
  return values;
}

// A parser of one command line: it completes the words by those of a recipe and of the model's settings, and fills the
// arguments of the command.
class Parser {
 public:
  /// settings  the settings in the model's folder, which the words and their recipe override; null: none
  Command parse(const std::vector<std::string>& words, const Recipe* settings = nullptr) {
    if (is_script(words)) return RunScriptArguments{words[1], {words.begin() + 2, words.end()}};
    const CLI::App& named = command_in(words, commands_.app);
    errors_.reject_unknown_topic(words, named);
    if (asks_for_help(words)) return Text{help(named, help_request(words))};
    if (has_topic(words)) return Text{manual_page(named)};
    const std::vector<std::string> own = in_own_words(words, named, errors_.place_of(named));
    RecipeWords recipe = recipe_words(own, named);
    std::vector<std::string> settings_words;
    if (settings != nullptr) settings_words = add_settings(*settings, own, named, recipe);
    read(own, words, recipe);
    if (commands_.version) return Text{fmt::format("portatune {}\n", version())};
    complete_arguments(words, recipe, settings_words);
    places_ = std::move(recipe.places);
    return commands_.command();
  }

  /// See cli::own_name().
  std::string own_name(const std::string& command, const std::string& option) const {
    const CLI::App& named = command_in({command}, commands_.app);
    std::string name = with_hyphens(option);
    const OtherOption* other = named.get_option_no_throw(name) == nullptr ? find_other_option(name) : nullptr;
    if (other != nullptr && !other->is_synonym()) {
      throw UsageError({.where = command, .given = option, .fix = refusal_of(*other, "")});
    }
    if (other != nullptr) name = other->our_option();
    const CLI::Option* own = named.get_option_no_throw(name);
    return own == nullptr ? name : own->get_name();
  }

  /// The parsed command, or its options as a recipe if --print-config asks for them.
  Command or_config(Command command) const {
    const CLI::App& chosen = chosen_in(commands_.app);
    const CLI::Option* option = chosen.get_option_no_throw(kPrintConfig);
    const bool is_asked = option != nullptr && option->count() > 0 && option->as<bool>();
    return is_asked ? Text{printed_config(chosen, places_)} : std::move(command);
  }

 private:
  RecipeWords words_of(const Recipe& recipe, const CLI::App& command, const std::vector<std::string>& typed) const {
    return cli::words_of(recipe, command, typed,
                         [this](const std::string& option) { return commands_.has_option(option); });
  }

  RecipeWords recipe_words(const std::vector<std::string>& words, const CLI::App& command) const {
    const std::vector<std::string> names = values_of(kRecipeOption, words);
    if (names.empty() || command.get_option_no_throw(kRecipeOption) == nullptr) return {};
    if (names.size() > 1) throw UsageError({.where = kRecipeOption, .given = list_of(names), .expected = "one recipe"});
    return words_of(read_recipe(names.front()), command, words);
  }

  // Adds the settings that neither the command line nor its recipe has to the recipe's words, and returns them.
  std::vector<std::string> add_settings(const Recipe& settings, const std::vector<std::string>& words,
                                        const CLI::App& command, RecipeWords& recipe) const {
    std::vector<std::string> given = words;
    given.insert(given.end(), recipe.words.begin(), recipe.words.end());
    RecipeWords added = words_of(settings, command, given);
    recipe.words.insert(recipe.words.end(), added.words.begin(), added.words.end());
    recipe.places.merge(added.places);
    return added.words;
  }

  // Fills the arguments that options set.
  // words  in Portatune's names
  // given  the same as the user gave them
  void read(const std::vector<std::string>& words, const std::vector<std::string>& given, const RecipeWords& recipe) {
    std::vector<std::string> all = reversed(words, recipe.words);
    try {
      commands_.app.parse(all);
    } catch (const CLI::ParseError& error) {
      errors_.reject(error, given, recipe);
    } catch (UsageError& error) {  // see Group and described_options.cpp
      errors_.reject_unknown();
      error.set_where(errors_.place_of(error.report().where, recipe));
      throw;
    }
  }

  // Fills the arguments that depend on all words.
  void complete_arguments(const std::vector<std::string>& words, const RecipeWords& recipe,
                          const std::vector<std::string>& settings) {
    CommandSet& c = commands_;
    const CLI::App& chosen = chosen_in(c.app);
    c.fit.words = c.sweep.fit.words = words;
    c.fit.command = command_of(words);
    c.fit.values = c.evaluate.values = c.predict.values = c.generate.values = option_values(chosen);
    const std::vector<run::GivenOption> given = given_options(chosen, recipe, fit_fields(c.fit));
    for (run::ModelOptions* model : {&c.fit.model, &c.evaluate.model, &c.predict.model, &c.bench_input.fit.model,
                                     &c.plan.fit.model, &c.parity.fit.model, &c.sweep.fit.model}) {
      model->given = given;
    }
    c.evaluate.settings = c.predict.settings = settings;
  }

  CommandSet commands_;
  const ParseErrors errors_{commands_.app};
  std::map<std::string, std::string> places_;  // RecipeWords::places of the parsed words
};

// The settings of a command that uses those in the folder of its model; none for other commands.
std::optional<Recipe> settings_of(const Command& command) {
  if (const auto* a = std::get_if<EvaluateArguments>(&command)) return read_settings(a->model, a->adapters);
  if (const auto* a = std::get_if<PredictArguments>(&command)) return read_settings(a->model, a->adapters);
  return std::nullopt;
}

}  // namespace

std::string as_option(const std::string& name) {
  const std::string option = with_hyphens("--" + name);
  return CommandSet().has_option(option) ? option : name;
}

std::string own_name(const std::string& command, const std::string& option) {
  return Parser().own_name(command, option);
}

Command parse(const std::vector<std::string>& words) {
  if (words.empty()) return Parser().parse({"--help"});
  Parser parser;
  Command command = parser.parse(words);
  const std::optional<Recipe> settings = settings_of(command);
  if (!settings) return parser.or_config(std::move(command));
  Parser with_settings;
  command = with_settings.parse(words, &*settings);
  return with_settings.or_config(std::move(command));
}

}  // namespace portatune::cli
