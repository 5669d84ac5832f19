#include "portatune/cli/options/names/other_names.h"

#include <algorithm>
#include <span>

#include "portatune/base/text/text_parts.h"
#include "portatune/base/text/utf8.h"
#include "portatune/cli/options/names/other_names_table.h"

namespace portatune::cli {
namespace {

constexpr std::string_view kHyphens = "--";
constexpr char kBetweenWords = '|';

bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool is_same(const OtherOption& option, const std::string& value) {
  if (option.same == "*") return true;
  const std::string truth = as_bool(value);
  return std::ranges::any_of(split(option.same, kBetweenWords), [&](std::string_view word) {
    return !option.same.empty() && (word == value || (!truth.empty() && word == truth));
  });
}

std::string instead_of(std::string_view name, std::span<const OtherWord> words) {
  const std::string wanted = lower_case(name);
  const auto found = std::ranges::find(words, wanted, &OtherWord::name);
  return found == words.end() ? "" : std::string(found->ours);
}

}  // namespace

const OtherOption* find_other_option(std::string_view name) {
  if (!name.starts_with(kHyphens)) return nullptr;
  const std::string wanted = lower_case(name.substr(kHyphens.size()));
  const auto* found =
      std::ranges::find_if(kOtherOptions, [&](const OtherOption& o) { return matches(o.name, wanted); });
  return found == std::end(kOtherOptions) ? nullptr : found;
}

std::string refusal_of(const OtherOption& option, const std::string& value) {
  return option.ours.empty() && !is_same(option, value) ? std::string(option.answer) : "";
}

std::string own_option(std::string_view command, std::string_view others) {
  const auto has = [](std::string_view list, std::string_view name) {
    return std::ranges::count(split(list, kBetweenWords), name) > 0;
  };
  const auto* found = std::ranges::find_if(
      kOwnOptions, [&](const OwnOption& own) { return has(own.commands, command) && has(own.others, others); });
  return found == std::end(kOwnOptions) ? "" : std::string(found->answer);
}

std::string as_bool(std::string_view word) {
  const std::string lower = lower_case(word);
  if (lower == "true" || lower == "yes" || lower == "1") return "true";
  if (lower == "false" || lower == "no" || lower == "0") return "false";
  return {};
}

std::optional<bool> resumes_from_newest(std::string_view option, std::string_view value) {
  const std::string lower = lower_case(value);
  if (option != "--resume-from-checkpoint" || (lower != "true" && lower != "false")) return std::nullopt;
  return lower == "true";
}

std::vector<std::string> other_names_of(std::string_view our_option) {
  std::vector<std::string> names;
  for (const OtherOption& option : kOtherOptions) {
    if (option.our_option() == our_option) names.emplace_back(option.name);
  }
  return names;
}

std::vector<const OtherOption*> options_without_effect() {
  std::vector<const OtherOption*> options;
  for (const OtherOption& option : kOtherOptions) {
    if (option.ours.empty() && !option.same.empty()) options.push_back(&option);
  }
  return options;
}

std::vector<std::string> values_without_effect(const OtherOption& option) {
  if (option.same == "*") return {};
  return split(option.same, kBetweenWords);
}

std::string command_instead_of(std::string_view name) { return instead_of(name, kOtherCommands); }

std::string task_instead_of(std::string_view name) { return instead_of(name, kOtherTasks); }

}  // namespace portatune::cli
