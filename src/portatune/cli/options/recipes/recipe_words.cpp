#include "portatune/cli/options/recipes/recipe_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <set>

#include "portatune/base/text/message.h"
#include "portatune/cli/options/names/options_in_value.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/cli/options/names/own_words.h"
#include "portatune/cli/options/recipes/printed_config.h"
#include "portatune/error.h"
#include "portatune/run/inputs/task/given_options.h"

namespace portatune::cli {
namespace {

using TypedOptions = std::set<const CLI::Option*>;

TypedOptions named_in(const std::vector<std::string>& typed, const CLI::App& command) {
  TypedOptions options;
  for (const std::string& word : typed) {
    const CLI::Option* option =
        word.starts_with("-") ? command.get_option_no_throw(with_hyphens(word.substr(0, word.find('=')))) : nullptr;
    if (option != nullptr) options.insert(option);
  }
  return options;
}

bool is_overridden(const CLI::Option& option, const TypedOptions& typed) {
  return typed.contains(&option) ||
         std::ranges::any_of(option.get_excludes(), [&](const CLI::Option* other) { return typed.contains(other); });
}

// The settings in the value of an option that holds several options.
std::vector<Setting> settings_held_by(const Setting& holder, const std::string& name, const std::string& place) {
  if (holder.is_list)
    throw UsageError({.where = place, .given = "a list for \"" + holder.key + "\"", .expected = "one value"});
  std::vector<Setting> settings;
  for (const OptionAndValue& one : options_in_value(name, holder.values.front(), place)) {
    settings.push_back({.key = run::as_key(one.option), .values = {one.value}, .is_list = false, .line = holder.line});
  }
  return settings;
}

// Replaces a name of another program (other_names.h). Returns nothing if the setting is the behaviour anyway.
std::vector<Setting> in_own_words(Setting setting, const CLI::App& command, const std::string& place) {
  const std::string name = with_hyphens("--" + setting.key);
  if (holds_options(name)) return settings_held_by(setting, name, place);
  const std::string value = setting.values.empty() ? "" : setting.values.front();
  if (const std::optional<bool> newest = resumes_from_newest(name, value)) {
    if (!*newest) return {};
    setting.key = "resume";
    return {setting};
  }
  const OtherOption* other = command.get_option_no_throw(name) == nullptr ? find_other_option(name) : nullptr;
  if (other == nullptr) return {setting};
  if (const std::string answer = refusal_of(*other, value); !answer.empty()) {
    throw UsageError({.where = place, .given = "unknown option \"" + setting.key + "\"", .fix = answer});
  }
  if (other->ours.empty() || (!other->is_synonym() && as_bool(value) != "true")) return {};
  if (!other->is_synonym()) setting.values = {std::string(other->ours.substr(other->ours.find('=') + 1))};
  setting.key = run::as_key(other->our_option());
  return {setting};
}

// Whether only the command line has this option.
bool is_of_line(const std::string& name) { return name == kRecipeOption || name == kPrintConfig; }

UsageError unknown(const std::string& place, const std::string& key, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (is_of_line(option->get_name())) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string meant = nearest(with_hyphens("--" + key), names);
  return UsageError(
      {.where = place,
       .given = "unknown option \"" + key + "\"",
       .fix = meant.empty() ? "see portatune " + command.get_name() + " --help" : suggestion(run::as_key(meant))});
}

// Reads the settings of one recipe, one after the other.
class RecipeReader {
 public:
  RecipeReader(const Recipe& recipe, const CLI::App& command, TypedOptions typed)
      : recipe_(recipe), command_(command), typed_(std::move(typed)) {}

  void take(const Setting& setting, const CLI::Option& option) {
    require_once(setting, option);
    require_fitting(setting, option);
    require_plain_path(setting, option);
    if (is_overridden(option, typed_)) return;
    for (const std::string& value : setting.values) add(option.get_name(), value);
    result_.places[option.get_name()] = place_of(setting);
  }

  [[noreturn]] void reject(const Setting& setting) const { throw unknown(place_of(setting), setting.key, command_); }

  RecipeWords result() && { return std::move(result_); }

 private:
  // The value follows "=", as it may begin with a hyphen; but CLI11 takes an empty text after "=" for no value.
  void add(const std::string& option, const std::string& value) {
    result_.words.push_back(value.empty() ? option : option + "=" + value);
    if (value.empty()) result_.words.emplace_back();
  }

  std::string place_of(const Setting& setting) const { return cli::place_of(recipe_, setting); }

  void require_once(const Setting& setting, const CLI::Option& option) {
    const auto [earlier, is_new] = lines_.emplace(&option, setting.line);
    if (is_new) return;
    throw UsageError({.where = place_of(setting),
                      .given = "\"" + setting.key + "\", which line " + std::to_string(earlier->second) + " sets",
                      .expected = "every option once"});
  }

  // Throws if the number of values does not fit; CLI11 checks the values themselves.
  void require_fitting(const Setting& setting, const CLI::Option& option) const {
    const bool is_flag = option.get_expected_max() == 0;
    const bool is_bool =
        setting.values == std::vector<std::string>{"true"} || setting.values == std::vector<std::string>{"false"};
    if (is_flag ? is_bool && !setting.is_list : !setting.is_list || option.get_expected_max() > 1) return;
    throw UsageError({.where = place_of(setting),
                      .given = setting.is_list ? "a list for \"" + setting.key + "\""
                                               : "\"" + setting.values.front() + "\" for \"" + setting.key + "\"",
                      .expected = is_flag ? "true or false" : "one value"});
  }

  void require_plain_path(const Setting& setting, const CLI::Option& option) const {
    const std::string type = option.get_type_name();
    if (!type.starts_with("PATH") && !type.starts_with("FILE")) return;
    for (const std::string& value : setting.values) {
      if (value.find("${") == std::string::npos && !value.starts_with("$")) continue;
      throw UsageError({.where = place_of(setting),
                        .given = value,
                        .expected = "a path as it is: recipes do not replace variables",
                        .fix = "give " + option.get_name() + " on the command line, where the shell replaces them"});
    }
  }

  const Recipe& recipe_;
  const CLI::App& command_;
  const TypedOptions typed_;
  std::map<const CLI::Option*, int64_t> lines_;
  RecipeWords result_;
};

}  // namespace

void add_recipe(Group group) {
  group.read_elsewhere(kRecipeOption, "YAML file of options, or a name: glue/cola")->default_str("none");
  group.switch_on(
      kPrintConfig, [] {}, "print the options as a recipe, with the origin of each, and run nothing");
}

RecipeWords words_of(const Recipe& recipe, const CLI::App& command, const std::vector<std::string>& typed,
                     const std::function<bool(const std::string& option)>& of_other_command) {
  RecipeReader reader(recipe, command, named_in(typed, command));
  for (const Setting& given : recipe.settings) {
    for (const Setting& setting : in_own_words(given, command, place_of(recipe, given))) {
      const std::string name = with_hyphens("--" + setting.key);
      const CLI::Option* option = command.get_option_no_throw(name);
      if (is_of_line(name) || (option == nullptr && !of_other_command(name))) reader.reject(setting);
      if (option != nullptr) reader.take(setting, *option);
    }
  }
  return std::move(reader).result();
}

}  // namespace portatune::cli
