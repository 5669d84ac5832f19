// Options that are described once: name, help, range and form of each field of a struct. The command line, recipes,
// checks, the facts that a resume compares, and records of a run follow from the description.
//
//     struct Options {
//       int64_t stride = 128;
//       void describe(OptionFields& fields) {
//         fields("doc_stride", stride, "tokens that two windows share", {.lowest = 1, .fact = Fact::kAlways});
//       }
//     };
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "portatune/tensor.h"

namespace portatune {

/// A value of an enum and its name in options and files. The table of an enum is a function beside it:
///
///     constexpr auto names_of(Remat) {
///       return std::to_array<NamedValue<Remat>>({{Remat::kNone, "none"}, {Remat::kLayers, "layers"}});
///     }
///
/// The first name of a value is written to files; further names are read, too.
template <class T>
struct NamedValue {
  T value;
  std::string_view name;
};

/// The names of the types in which a model can compute.
constexpr auto names_of(DType) {
  return std::to_array<NamedValue<DType>>({{DType::kFloat32, "float32"},
                                           {DType::kBFloat16, "bfloat16"},
                                           {DType::kFloat16, "float16"},
                                           {DType::kFloat32, "fp32"},
                                           {DType::kBFloat16, "bf16"},
                                           {DType::kFloat16, "fp16"}});
}

/// A word that an option accepts.
struct OptionChoice {
  std::string word;
  std::string value = {};  ///< text of the value that it stands for; empty: the word itself
};

/// Whether checkpoints record an option, so that a resumed run must have the value of the run that it continues.
enum class Fact {
  kNo,
  kAlways,
  kUnlessDefault  ///< recorded if it is not the default; older checkpoints, from before the option, then still fit
};

/// What a task needs an option for.
enum class OptionUse {
  kRows,    ///< to read rows, in all commands
  kLabels,  ///< to read their labels or to report scores: fit and evaluate
  kTraining
};

/// The lowest number above 0 in float32, in which a step computes.
inline constexpr double kAboveZero = std::numeric_limits<float>::min();

/// The rules of an option. Numbers are within [lowest, highest], and less than `below`.
struct OptionRules {
  double lowest = 0;
  std::optional<double> highest = {};  ///< none: 1e12 for counts, so that products of two fit; else that of the type
  std::optional<double> below = {};
  std::vector<OptionChoice> choices = {};  ///< the words that it accepts; empty: those of the enum, or all
  std::string sets = {};  ///< not empty: the option is a flag that sets this value; "false" for "no_kernels"
  bool required = false;  ///< the command does not run without it
  bool files = false;     ///< a list of files; other lists are names that commas separate
  bool repeated = false;  ///< a list of texts with commas of their own: users give the option once for each
  Fact fact = Fact::kNo;
  std::string fact_name = {};  ///< name in checkpoints; empty: the name of the option
  bool decides = true;  ///< false: a resumed sweep may have another value, as of the device and of what is printed
  std::string other_names = {};   ///< further names on the command line, separated by commas
  std::string placeholder = {};   ///< form of the value in the help; empty: that of the type, such as "N"
  std::string default_help = {};  ///< the default in the help, where its text does not say it: "a tenth of the steps"
  std::string excludes = {};      ///< name of an option that users do not give together with this one
  OptionUse use = OptionUse::kRows;  ///< of an option of a task
  bool kept = false;  ///< of an option of a task: fit writes it beside the model, so that evaluate and predict use it
};

enum class OptionKind { kFlag, kInteger, kNumber, kText, kPath, kTexts };

/// How the values of a type are read and written. Specialise it for a type of your own, with the members of
/// OptionTypeOf, to have fields of this type.
template <class T>
struct OptionType;

/// How the values of a basic type are read and written.
template <class T, OptionKind kind>
struct OptionTypeOf {
  static constexpr OptionKind kKind = kind;
  static constexpr double kHighest = std::is_same_v<T, int64_t>    ? 1e12
                                     : std::is_same_v<T, uint64_t> ? 18446744073709551615.0
                                                                   : std::numeric_limits<float>::max();
  /// The words of all values; empty: they cannot be listed.
  static std::vector<OptionChoice> choices() { return {}; }
  /// What users must write, for errors: "true or false".
  static std::string expected() { return kind == OptionKind::kFlag ? "true or false" : ""; }
  /// returns  nothing if the text is no value of the type
  static std::optional<T> read(const std::string& text);
  static std::string text(const T& value);
};
template <>
struct OptionType<bool> : OptionTypeOf<bool, OptionKind::kFlag> {};
template <>
struct OptionType<int64_t> : OptionTypeOf<int64_t, OptionKind::kInteger> {};
template <>
struct OptionType<uint64_t> : OptionTypeOf<uint64_t, OptionKind::kInteger> {};
template <>
struct OptionType<float> : OptionTypeOf<float, OptionKind::kNumber> {};
template <>
struct OptionType<double> : OptionTypeOf<double, OptionKind::kNumber> {};
template <>
struct OptionType<std::string> : OptionTypeOf<std::string, OptionKind::kText> {};
template <>
struct OptionType<std::filesystem::path> : OptionTypeOf<std::filesystem::path, OptionKind::kPath> {};

/// The name of an enum's value; empty for a value without a name.
template <class T>
std::string name_in_table(T value) {
  for (const NamedValue<T>& row : names_of(value)) {
    if (row.value == value) return std::string(row.name);
  }
  return {};
}

/// An enum with a table names_of().
template <class T>
requires std::is_enum_v<T>
struct OptionType<T> {
  static constexpr OptionKind kKind = OptionKind::kText;
  static constexpr double kHighest = 0;
  static std::vector<OptionChoice> choices() {
    std::vector<OptionChoice> words;
    for (const NamedValue<T>& row : names_of(T{})) words.push_back({std::string(row.name), name_in_table(row.value)});
    return words;
  }
  static std::string expected() { return {}; }
  static std::optional<T> read(const std::string& text) {
    for (const NamedValue<T>& row : names_of(T{})) {
      if (row.name == text) return row.value;
    }
    return std::nullopt;
  }
  static std::string text(T value) {
    if constexpr (std::is_same_v<T, DType>) return std::string(name_of(value));  // also of types outside of the table
    return name_in_table(value);
  }
};

/// A described field. It refers to the struct, which must outlive it.
struct OptionField {
  std::string name;   ///< as TrainingArguments spells it: "learning_rate" is "--learning-rate" on the command line
  std::string help;   ///< its line in the help
  std::string group;  ///< heading of its group in the help
  OptionKind kind;
  OptionRules rules;                              ///< with the limits and the choices of the type
  std::string expected;                           ///< what users must write, of types with a form of their own
  std::function<std::vector<std::string>()> get;  ///< text of the value; none: it is not set
  std::function<void(const std::vector<std::string>&)> set;  ///< takes texts that `is_readable`
  std::function<bool(const std::string&)> is_readable;       ///< whether the type has a value of this text

  /// Whether the option has no value on the command line.
  bool is_flag() const { return !rules.sets.empty() || (kind == OptionKind::kFlag && rules.choices.empty()); }
  /// What is expected in place of a word, or nothing if the word is allowed: "an integer of at least 1".
  std::optional<std::string> expected_instead_of(const std::string& word) const;
  /// The words of `rules.choices`.
  std::vector<std::string> choice_words() const;
  /// The same without synonyms: one word for each value.
  std::vector<std::string> main_words() const;
  /// The words of the value, as users write them; "true" or "false" for a flag; none: it is not set.
  std::vector<std::string> words() const;
  /// Takes words, of which expected_instead_of() says nothing.
  void read(const std::vector<std::string>& words) const;
};

/// Collects the fields of a struct, whose describe() calls it for each.
class OptionFields {
 public:
  /// Adds a field, of a type that OptionType knows, an optional one, or a list of them.
  /// name  in the spelling of TrainingArguments: "learning_rate"
  template <class T>
  void operator()(std::string name, T& value, std::string help, OptionRules rules = {}) {
    add(std::move(name), value, std::move(help), std::move(rules));
  }
  /// Begins a group of the help.
  void group(std::string heading) { group_ = std::move(heading); }

  std::vector<OptionField> fields() && { return std::move(fields_); }

 private:
  template <class T>
  struct Plain {
    using type = T;
  };
  template <class T>
  struct Plain<std::optional<T>> {
    using type = T;
  };

  template <class T>
  void add(std::string name, T& value, std::string help, OptionRules rules) {
    using Type = OptionType<typename Plain<T>::type>;
    if (!rules.highest) rules.highest = Type::kHighest;
    if (rules.choices.empty()) rules.choices = Type::choices();
    const auto get = [&value]() -> std::vector<std::string> {
      if constexpr (std::is_same_v<T, typename Plain<T>::type>) {
        return {Type::text(value)};
      } else {
        return value ? std::vector{Type::text(*value)} : std::vector<std::string>();
      }
    };
    const auto set = [&value](const std::vector<std::string>& texts) { value = Type::read(texts.back()).value(); };
    const auto is_readable = [](const std::string& text) { return Type::read(text).has_value(); };
    fields_.push_back({std::move(name), std::move(help), group_, Type::kKind, std::move(rules), Type::expected(), get,
                       set, is_readable});
  }
  template <class T>
  void add(std::string name, std::vector<T>& value, std::string help, OptionRules rules) {
    using Type = OptionType<T>;
    const auto get = [&value] {
      std::vector<std::string> texts;
      for (const T& one : value) texts.push_back(Type::text(one));
      return texts;
    };
    const auto set = [&value](const std::vector<std::string>& texts) {
      value.clear();
      for (const std::string& text : texts) value.push_back(Type::read(text).value());
    };
    const auto is_readable = [](const std::string& text) { return Type::read(text).has_value(); };
    fields_.push_back({std::move(name), std::move(help), group_, OptionKind::kTexts, std::move(rules), Type::expected(),
                       get, set, is_readable});
  }

  std::string group_;
  std::vector<OptionField> fields_;
};

/// The fields of a struct of options. They refer to the struct.
template <class Options>
std::vector<OptionField> fields_of(Options& options) {
  OptionFields fields;
  options.describe(fields);
  return std::move(fields).fields();
}

/// Checks the value of each field that differs from its default.
/// defaults  the same fields of a struct with the defaults
/// errors    UsageError that names the field
void check_fields(const std::vector<OptionField>& fields, const std::vector<OptionField>& defaults);

/// Checks a struct of options against the rules of its fields.
/// errors  UsageError that names the field
template <class Options>
void check_ranges(Options options) {
  Options defaults;
  check_fields(fields_of(options), fields_of(defaults));
}

/// The values that a resume compares, by their names in checkpoints (OptionRules::fact).
std::map<std::string, std::string> facts_in(const std::vector<OptionField>& fields,
                                            const std::vector<OptionField>& defaults);

/// The values of a struct of options that a resume compares.
template <class Options>
std::map<std::string, std::string> facts_in(Options options) {
  Options defaults;
  return facts_in(fields_of(options), fields_of(defaults));
}

}  // namespace portatune
