#include "portatune/cli/options/described_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <stdexcept>

#include "portatune/base/files/path_name.h"
#include "portatune/base/text/message.h"
#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"

namespace portatune::cli {
namespace {

// "--epochs,--num-train-epochs", as CLI11 reads names.
std::string all_names(const OptionField& field) {
  std::string names = as_option_name(field.name);
  for (const std::string& other : CLI::detail::split(field.rules.other_names, ',')) {
    if (!other.empty()) names += "," + as_option_name(other);
  }
  return names;
}

std::string placeholder(const OptionField& field) {
  if (!field.rules.placeholder.empty()) return field.rules.placeholder;
  if (!field.rules.choices.empty()) return fmt::format("{}", fmt::join(field.main_words(), "|"));
  if (field.rules.files) return "FILE...";
  switch (field.kind) {
    case OptionKind::kInteger:
    case OptionKind::kNumber:
      return "N";
    case OptionKind::kPath:
      return "PATH";
    case OptionKind::kTexts:
      return "A,B,...";
    case OptionKind::kText:
    case OptionKind::kFlag:
      break;
  }
  return "NAME";
}

std::string default_help(const OptionField& field) {
  if (!field.rules.default_help.empty()) return field.rules.default_help;
  if (field.is_flag() || field.rules.required) return "";
  const std::string text = fmt::format("{}", fmt::join(field.words(), ","));
  return text.empty() ? "none" : text;
}

[[noreturn]] void refuse(const std::string& option, const std::string& word, std::string expected, std::string fix) {
  throw UsageError({.where = option,
                    .given = option + " " + (word.empty() ? "''" : word),
                    .expected = std::move(expected),
                    .fix = std::move(fix)});
}

// A check for CLI11, whose name has the words of a choice: see completion.cpp.
void add_check(CLI::Option& option, const OptionField& field) {
  const auto check = [field, name = as_option_name(field.name)](const std::string& word) {
    if (const std::optional<std::string> expected = field.expected_instead_of(word)) {
      refuse(name, word, *expected, suggestion(nearest(word, field.choice_words())));
    }
    if ((field.kind == OptionKind::kPath || field.rules.files) && begins_with_home(word)) {
      refuse(name, word, "a path",
             "write the path in full: only a shell replaces ~, and only at the beginning of a word");
    }
    if (field.kind == OptionKind::kPath && (word.empty() || io::is_remote(word))) {
      refuse(name, word, "a path of this machine; URLs are for rows alone", "");
    }
    return std::string();
  };
  option.check(check, "", fmt::format("{}", fmt::join(field.choice_words(), "|")));
}

CLI::Option& add_flag(CLI::App& command, const OptionField& field) {
  if (!field.rules.sets.empty()) {
    const auto take = [field] { field.set({field.rules.sets}); };
    return *command.add_flag_callback(all_names(field), take, field.help);
  }
  const auto take = [field](int64_t count) { field.set({count > 0 ? "true" : "false"}); };
  CLI::Option& option = *command.add_flag_function(all_names(field), take, field.help);
  // CLI11 would throw std::invalid_argument.
  const auto check = [name = as_option_name(field.name)](const std::string& word) {
    bool is_on = false;
    if (!CLI::detail::lexical_cast(word, is_on)) refuse(name, word, "true or false", "");
    return std::string();
  };
  return *option.check(check, "")->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

CLI::Option& add_list(CLI::App& command, const OptionField& field) {
  const auto take = [field](const std::vector<std::string>& given) {
    std::vector<std::string> words = given;
    if (!field.rules.files) std::erase(words, "");  // so that '' clears the value of a recipe
    field.read(words);
  };
  CLI::Option& option = *command.add_option_function<std::vector<std::string>>(all_names(field), take, field.help);
  if (!field.rules.files && !field.rules.repeated) option.delimiter(',');
  return option;
}

CLI::Option& add_value(CLI::App& command, const OptionField& field) {
  const auto take = [field](const std::string& word) { field.read({word}); };
  return *command.add_option_function<std::string>(all_names(field), take, field.help);
}

void add_field(CLI::App& command, const OptionField& field, const std::string& group) {
  const bool has_value = !field.is_flag();
  CLI::Option& option = !has_value                         ? add_flag(command, field)
                        : field.kind == OptionKind::kTexts ? add_list(command, field)
                                                           : add_value(command, field);
  option.group(group.empty() ? field.group : group)->default_str(default_help(field))->required(field.rules.required);
  if (!has_value) return;
  option.type_name(placeholder(field));
  if (!field.rules.excludes.empty()) option.excludes(command.get_option(as_option_name(field.rules.excludes)));
  add_check(option, field);
}

}  // namespace

void add_fields(CLI::App& command, const std::vector<OptionField>& fields, const std::string& group) {
  for (const OptionField& field : fields) add_field(command, field, group);
}

std::vector<OptionField> only(const std::vector<OptionField>& fields, const std::vector<std::string>& names) {
  std::vector<OptionField> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(fields, name, &OptionField::name);
    if (found == fields.end()) throw std::logic_error("no described field " + name);
    chosen.push_back(*found);
  }
  return chosen;
}

std::vector<OptionField> without(std::vector<OptionField> fields, const std::string& name) {
  std::erase_if(fields, [&](const OptionField& field) { return field.name == name; });
  return fields;
}

OptionField with_help(OptionField field, const std::string& help) {
  field.help = help;
  return field;
}

std::string as_option_name(std::string name) {
  std::ranges::replace(name, '_', '-');
  return (name.size() == 1 ? "-" : "--") + name;
}

}  // namespace portatune::cli
