#include "portatune/cli/options/recipes/recipe_schema.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "portatune/base/text/message.h"
#include "portatune/cli/options/described_options.h"
#include "portatune/cli/options/names/options_in_value.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/recipes/printed_config.h"
#include "portatune/cli/options/recipes/recipe_words.h"
#include "portatune/run/inputs/task/given_options.h"
#include "portatune/tasks/registry.h"

namespace portatune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNoLimit = 1e15;  // limits beyond it are those of the type

Json limit(double number) { return number == std::floor(number) ? Json(static_cast<int64_t>(number)) : Json(number); }

Json number_schema(const char* type, const OptionRules& rules) {
  Json schema = {{"type", type}};
  if (rules.lowest == kAboveZero) {
    schema["exclusiveMinimum"] = 0;
  } else if (rules.lowest > -kNoLimit) {
    schema["minimum"] = limit(rules.lowest);
  }
  if (rules.below) {
    schema["exclusiveMaximum"] = limit(*rules.below);
  } else if (rules.highest && *rules.highest < kNoLimit) {
    schema["maximum"] = limit(*rules.highest);
  }
  return schema;
}

// YAML reads a label such as 0 as a number.
Json text_schema() { return {{"type", {"string", "number", "boolean"}}}; }

Json list_schema(const Json& item) { return {{"anyOf", {item, Json{{"type", "array"}, {"items", item}}}}}; }

// YAML reads a word such as "true" as a boolean.
Json choice_schema(const std::vector<std::string>& words) {
  Json values = words;
  for (const std::string& word : words) {
    const Json value = Json::parse(word, nullptr, false);
    if (value.is_boolean() || value.is_number()) values.push_back(value);
  }
  return {{"enum", values}};
}

Json described_schema(const OptionField& field) {
  if (field.kind == OptionKind::kTexts) return list_schema(text_schema());
  if (!field.rules.choices.empty()) return choice_schema(field.choice_words());
  if (field.kind == OptionKind::kInteger) return number_schema("integer", field.rules);
  if (field.kind == OptionKind::kNumber) return number_schema("number", field.rules);
  return text_schema();
}

Json form_schema(const CLI::Option& option) {
  if (option.get_type_name() == "N") return {{"type", "number"}};
  return option.get_expected_max() > 1 ? list_schema(text_schema()) : text_schema();
}

Json value_schema(const CLI::Option& option, const std::vector<OptionField>& fields) {
  if (option.get_expected_max() == 0) return {{"type", "boolean"}};
  if (option.get_name() == "--task") return choice_schema(tasks::task_names());
  const auto field = std::ranges::find(fields, run::as_key(option.get_name()), &OptionField::name);
  return field == fields.end() ? form_schema(option) : described_schema(*field);
}

std::string schema_description(const CLI::Option& option) {
  const std::vector<std::string> owners = tasks::tasks_with(run::as_key(option.get_name()));
  const std::string value = option.get_default_str();
  return option.get_description() + (value.empty() ? "" : fmt::format(" [{}]", value)) +
         (owners.empty() || owners == tasks::task_names() ? "" : fmt::format(" (task: {})", list_of(owners)));
}

// The expression for keys, whose parts are joined by "_" or "-".
std::string pattern_of(const std::vector<std::string>& names, bool are_prefixes = false) {
  std::string pattern;
  for (const std::string& name : names) {
    if (!pattern.empty()) pattern += "|";
    for (const char c : name) pattern += c == '-' ? "[_-]" : std::string(1, c);
  }
  return "^(" + pattern + (are_prefixes ? ")" : ")$");
}

// The other names of an option: those that take its value, and flags that stand for one of its values. The option
// itself has hyphens here, as its spelling with "_" is a property.
void add_other_names(const CLI::Option& option, Json& patterns) {
  std::vector<std::string> synonyms(option.get_lnames().begin() + 1, option.get_lnames().end()), flags;
  for (const std::string& name : other_names_of(option.get_name())) {
    (find_other_option("--" + name)->is_synonym() ? synonyms : flags).push_back(name);
  }
  const std::string key = run::as_key(option.get_name()), reference = "#/properties/" + key;
  const std::string& own = option.get_lnames().front();
  if (own != key) patterns["^" + own + "$"] = {{"$ref", reference}};
  if (!synonyms.empty()) patterns[pattern_of(synonyms)] = {{"$ref", reference}};
  if (!flags.empty()) patterns[pattern_of(flags)] = {{"type", "boolean"}, {"description", "see " + key}};
}

// The options of other programs that have no effect; `properties` has the options of the commands, which come first.
void add_options_without_effect(const Json& properties, Json& patterns) {
  for (const OtherOption* option : options_without_effect()) {
    const bool is_prefix = option->name.ends_with('*');
    const std::string name(option->name.substr(0, option->name.size() - (is_prefix ? 1 : 0)));
    if (properties.contains(run::as_key("--" + name))) continue;
    const std::vector<std::string> words = values_without_effect(*option);
    Json schema = words.empty() ? Json::object() : choice_schema(words);
    schema["description"] = "a name of another program, without effect";
    patterns[pattern_of({name}, is_prefix)] = schema;
  }
}

// The options whose value holds several options, if the commands have these.
void add_holders(const Json& properties, Json& patterns) {
  if (!properties.contains("lr_scheduler_type")) return;
  for (const std::string& name : names_of_holders()) {
    Json schema = {{"description", "several options under transformers' names"}};
    schema["type"] = name.ends_with("kwargs") ? Json({"string", "object"}) : Json("string");
    patterns[pattern_of({name})] = schema;
  }
}

// The key of the option that a pattern of other names refers to; empty for flags.
std::string key_of(const Json& pattern_schema) {
  const std::string reference = pattern_schema.value("$ref", "");
  return reference.substr(reference.rfind('/') + 1);
}

// Refuses the options that a task does not have, by all their names, in recipes of this task.
Json rule_of(const TaskSpec& task, const Json& properties, const Json& patterns) {
  const auto is_refused = [&](const std::string& key) {
    return !tasks::tasks_with(key).empty() && !tasks::has_option(task, key);
  };
  Json names = Json::object(), other_names = Json::object();
  for (const auto& [key, schema] : properties.items()) {
    if (is_refused(key)) names[key] = false;
  }
  for (const auto& [pattern, schema] : patterns.items()) {
    if (is_refused(key_of(schema))) other_names[pattern] = false;
  }
  return {{"if", {{"properties", {{"task", {{"const", task.name}}}}}, {"required", {"task"}}}},
          {"then", {{"properties", names}, {"patternProperties", other_names}}}};
}

}  // namespace

std::string recipe_schema(const std::string& description, const std::vector<const CLI::App*>& commands,
                          const std::vector<OptionField>& fields) {
  Json properties = Json::object(), patterns = Json::object(), rules = Json::array();
  for (const CLI::App* command : commands) {
    for (const CLI::Option* option : command->get_options()) {
      const std::string key = run::as_key(option->get_name());
      const bool is_of_line = option->get_name() == kRecipeOption || option->get_name() == kPrintConfig;
      if (is_of_line || option->get_positional() || properties.contains(key)) continue;
      properties[key] = {{"description", schema_description(*option)}};
      properties[key].update(value_schema(*option, fields));
      add_other_names(*option, patterns);
    }
  }
  add_options_without_effect(properties, patterns);
  add_holders(properties, patterns);
  for (const TaskSpec* task : tasks::registry()) rules.push_back(rule_of(*task, properties, patterns));
  const Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                       {"title", "Recipe of Portatune"},
                       {"description", description},
                       {"type", "object"},
                       {"additionalProperties", false},
                       {"properties", properties},
                       {"patternProperties", patterns},
                       {"allOf", rules}};
  return schema.dump(2) + "\n";
}

}  // namespace portatune::cli
