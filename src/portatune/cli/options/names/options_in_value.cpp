#include "portatune/cli/options/names/options_in_value.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <span>

#include "portatune/base/text/message.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

// A key in the value of an option, and the option that it sets.
struct Key {
  std::string_view key, option;
};

// Keys of get_scheduler() and of torch's ReduceLROnPlateau.
constexpr Key kScheduleKeys[] = {{"num_cycles", "--lr-num-cycles"},
                                 {"power", "--lr-power"},
                                 {"lr_end", "--lr-end"},
                                 {"min_lr", "--lr-min"},
                                 {"min_lr_rate", "--lr-min-ratio"},
                                 {"min_lr_ratio", "--lr-min-ratio"},
                                 {"timescale", "--lr-timescale"},
                                 {"num_stable_steps", "--lr-stable-steps"},
                                 {"num_decay_steps", "--lr-decay-steps"},
                                 {"decay_type", "--lr-decay-type"},
                                 {"factor", "--lr-factor"},
                                 {"patience", "--lr-patience"},
                                 {"threshold", "--lr-threshold"},
                                 {"threshold_mode", "--lr-threshold-mode"},
                                 {"cooldown", "--lr-cooldown"},
                                 {"mode", "--lr-mode"}};

// Keys of torch's optimizers.
constexpr Key kOptimizerKeys[] = {{"momentum", "--momentum"},         {"nesterov", "--nesterov"},
                                  {"weight_decay", "--weight-decay"}, {"beta1", "--adam-beta1"},
                                  {"beta2", "--adam-beta2"},          {"eps", "--adam-epsilon"},
                                  {"alpha", "--rmsprop-alpha"},       {"centered", "--rmsprop-centered"}};

using Pairs = std::vector<std::pair<std::string, std::string>>;

[[noreturn]] void refuse_value(const std::string& where, const std::string& given, const std::string& expected) {
  throw UsageError({.where = where, .given = given, .expected = expected});
}

// The members of a JSON object. A null is no value.
Pairs members_of(const std::string& text, const std::string& where) {
  const auto object = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) refuse_value(where, text.empty() ? "''" : text, "a JSON object: {\"num_cycles\": 2}");
  Pairs pairs;
  for (const auto& [key, value] : object.items()) {
    if (value.is_null()) continue;
    if (value.is_structured()) refuse_value(where, key + ": " + value.dump(), "a number or a text");
    pairs.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return pairs;
}

// The text without blanks, and "betas=(0.9,0.95)" as "beta1=0.9,beta2=0.95".
std::string with_single_betas(std::string text) {
  std::erase(text, ' ');
  return std::regex_replace(text, std::regex(R"(betas=\(([^,()]*),([^,()]*)\))"), "beta1=$1,beta2=$2");
}

// The assignments in "momentum=0.9, nesterov=True", as transformers reads them.
Pairs assignments_in(const std::string& given, const std::string& where) {
  const std::string text = with_single_betas(given);
  Pairs pairs;
  if (text.empty()) return pairs;
  for (const std::string& part : split(text, ',')) {
    const size_t equals = part.find('=');
    if (equals == 0 || equals == std::string::npos) {
      refuse_value(where, part.empty() ? "''" : part, "KEY=VALUE,...: momentum=0.9,nesterov=true");
    }
    const std::string value = part.substr(equals + 1), truth = as_bool(value);
    const std::string key = part.substr(0, equals);
    const bool is_switch = key == "nesterov" || key == "centered";
    pairs.emplace_back(key, is_switch && !truth.empty() ? truth : value);
  }
  return pairs;
}

struct Holder {
  std::string_view name;
  Pairs (*read)(const std::string& text, const std::string& where);
  std::span<const Key> keys;
};

const Holder kHolders[] = {{"--optim-args", assignments_in, kOptimizerKeys},
                           {"--lr-scheduler-kwargs", members_of, kScheduleKeys}};

const Holder* find_holder(std::string_view name) {
  const Holder* const found = std::ranges::find(kHolders, name, &Holder::name);
  return found == std::end(kHolders) ? nullptr : found;
}

std::string option_for(const Holder& holder, const std::string& key, const std::string& where) {
  const auto found = std::ranges::find(holder.keys, key, &Key::key);
  if (found != holder.keys.end()) return std::string(found->option);
  std::vector<std::string> known;
  for (const Key& one : holder.keys) known.emplace_back(one.key);
  throw UsageError({.where = where,
                    .given = "unknown key \"" + key + "\"",
                    .expected = "one of " + list_of(known, known.size()),
                    .fix = suggestion(nearest(key, known))});
}

}  // namespace

std::vector<std::string> names_of_holders() {
  std::vector<std::string> names;
  for (const Holder& holder : kHolders) names.emplace_back(holder.name.substr(2));
  return names;
}

bool holds_options(std::string_view name) { return find_holder(name) != nullptr; }

std::vector<OptionAndValue> options_in_value(std::string_view name, const std::string& value,
                                             const std::string& where) {
  const Holder& holder = *find_holder(name);
  const std::string place = where + ": " + std::string(name);
  std::vector<OptionAndValue> options;
  for (auto& [key, text] : holder.read(value, place)) {
    options.push_back({option_for(holder, key, place), std::move(text)});
  }
  return options;
}

}  // namespace portatune::cli
