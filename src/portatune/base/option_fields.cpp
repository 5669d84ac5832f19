#include "portatune/option_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/error.h"

namespace portatune {
namespace {

template <class T>
constexpr bool kIsNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

const std::string& value_of(const OptionChoice& choice) { return choice.value.empty() ? choice.word : choice.value; }

// Numbers with a fraction are compared as float32, in which a step computes. Every comparison with NaN is false.
bool is_within(const OptionField& field, double number) {
  const auto rounded = [&](double value) {
    return field.kind == OptionKind::kNumber ? static_cast<double>(static_cast<float>(value)) : value;
  };
  const OptionRules& rules = field.rules;
  const double value = rounded(number);
  return value >= rounded(rules.lowest) && value <= rounded(*rules.highest) &&
         (!rules.below || value < rounded(*rules.below));
}

std::string text_of_range(const OptionField& field) {
  const OptionRules& rules = field.rules;
  const bool is_integer = field.kind == OptionKind::kInteger;
  const bool is_limited = is_integer || rules.below || *rules.highest != OptionType<double>::kHighest;
  const std::string lowest = rules.lowest == kAboveZero ? "above 0" : fmt::format("of at least {:.15g}", rules.lowest);
  const std::string highest = rules.below  ? fmt::format(" and below {:.15g}", *rules.below)
                              : is_limited ? fmt::format(" and at most {:.15g}", *rules.highest)
                                           : "";
  return fmt::format("{} {}{}",
                     is_integer   ? "an integer"
                     : is_limited ? "a number"
                                  : "a finite number",
                     lowest, highest);
}

// Text before a fraction of zeros: TrainingArguments have the float 3.0 for three epochs.
std::string_view without_zero_fraction(std::string_view text) {
  const size_t point = text.find('.');
  const bool is_zero =
      point != std::string_view::npos && point + 1 < text.size() && text.find_first_not_of('0', point + 1) == text.npos;
  return is_zero ? text.substr(0, point) : text;
}

bool is_number(const OptionField& field) {
  return field.kind == OptionKind::kInteger || field.kind == OptionKind::kNumber;
}

bool is_value_of(const OptionField& field, const std::string& text) {
  return std::ranges::find(field.rules.choices, text, value_of) != field.rules.choices.end();
}

// What is expected in place of the text of a value, which is no synonym.
std::optional<std::string> expected_instead_of_value(const OptionField& field, const std::string& text) {
  if (field.rules.choices.empty()) return field.expected_instead_of(text);
  if (is_value_of(field, text)) return std::nullopt;
  return "one of " + list_of(field.main_words());
}

void check(const OptionField& field) {
  for (const std::string& text : field.get()) {
    const std::optional<std::string> expected = expected_instead_of_value(field, text);
    if (!expected) continue;
    throw UsageError({.where = field.name, .given = text.empty() ? "''" : text, .expected = *expected, .fix = {}});
  }
}

}  // namespace

template <class T, OptionKind kind>
std::optional<T> OptionTypeOf<T, kind>::read(const std::string& text) {
  if constexpr (std::is_floating_point_v<T>) {
    return number_in<T>(text);
  } else if constexpr (kIsNumber<T>) {
    return number_in<T>(without_zero_fraction(text));
  } else if constexpr (std::is_same_v<T, bool>) {
    return text == "true" || text == "false" ? std::optional(text == "true") : std::nullopt;
  } else {
    return T(text);
  }
}

template <class T, OptionKind kind>
std::string OptionTypeOf<T, kind>::text(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return to_text(value);
  } else if constexpr (kIsNumber<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else {
    return value;
  }
}

template struct OptionTypeOf<bool, OptionKind::kFlag>;
template struct OptionTypeOf<int32_t, OptionKind::kInteger>;
template struct OptionTypeOf<int64_t, OptionKind::kInteger>;
template struct OptionTypeOf<uint64_t, OptionKind::kInteger>;
template struct OptionTypeOf<float, OptionKind::kNumber>;
template struct OptionTypeOf<double, OptionKind::kNumber>;
template struct OptionTypeOf<std::string, OptionKind::kText>;
template struct OptionTypeOf<std::filesystem::path, OptionKind::kPath>;

std::vector<std::string> OptionField::choice_words() const {
  std::vector<std::string> words;
  for (const OptionChoice& choice : rules.choices) words.push_back(choice.word);
  return words;
}

std::vector<std::string> OptionField::main_words() const {
  std::vector<std::string> words;
  for (const OptionChoice& choice : rules.choices) {
    const auto first = std::ranges::find(rules.choices, value_of(choice), value_of);
    if (first->word == choice.word) words.push_back(choice.word);
  }
  return words;
}

std::optional<std::string> OptionField::expected_instead_of(const std::string& word) const {
  if (!rules.sets.empty()) return std::nullopt;
  if (!rules.choices.empty()) {
    const bool is_known = std::ranges::find(rules.choices, word, &OptionChoice::word) != rules.choices.end();
    return is_known ? std::nullopt : std::optional("one of " + list_of(choice_words()));
  }
  if (!is_number(*this)) return is_readable(word) ? std::nullopt : std::optional(expected);
  const std::optional<double> number = number_in<double>(word);
  if (number && is_readable(word) && is_within(*this, *number)) return std::nullopt;
  return expected.empty() ? text_of_range(*this) : expected;
}

std::vector<std::string> OptionField::words() const {
  std::vector<std::string> texts = get();
  if (!rules.sets.empty()) return {texts == std::vector{rules.sets} ? "true" : "false"};
  for (std::string& text : texts) {
    const auto choice = std::ranges::find(rules.choices, text, value_of);
    if (choice != rules.choices.end()) text = choice->word;
  }
  return texts;
}

void OptionField::read(const std::vector<std::string>& words) const {
  std::vector<std::string> texts = words;
  for (std::string& text : texts) {
    const auto choice = std::ranges::find(rules.choices, text, &OptionChoice::word);
    if (choice != rules.choices.end()) text = value_of(*choice);
  }
  set(texts);
}

void check_fields(const std::vector<OptionField>& fields, const std::vector<OptionField>& defaults) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].get() != defaults[i].get()) check(fields[i]);
  }
}

std::map<std::string, std::string> facts_in(const std::vector<OptionField>& fields,
                                            const std::vector<OptionField>& defaults) {
  std::map<std::string, std::string> facts;
  for (size_t i = 0; i < fields.size(); ++i) {
    const OptionRules& rules = fields[i].rules;
    const bool is_default = fields[i].get() == defaults[i].get();
    if (rules.fact == Fact::kNo || (rules.fact == Fact::kUnlessDefault && is_default)) continue;
    facts[rules.fact_name.empty() ? fields[i].name : rules.fact_name] =
        list_of(fields[i].words(), std::numeric_limits<size_t>::max());
  }
  return facts;
}

}  // namespace portatune
