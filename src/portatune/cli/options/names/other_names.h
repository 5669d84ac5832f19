// Names that users know from transformers' TrainingArguments and example scripts, and from other programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portatune::cli {

/// The meaning of an option of another program in Portatune.
struct OtherOption {
  std::string_view name;    ///< the name without leading hyphens: "bf16"; "ddp-*" matches all names that begin so
  std::string_view ours;    ///< "--learning-rate" takes its value, "--dtype=bfloat16" replaces it if it is true
  std::string_view same;    ///< values, separated by '|', that ask for what Portatune does anyway; "*": all values
  std::string_view answer;  ///< advice for other values, or the reason why there is no such option

  /// Returns true if this is another name of one of Portatune's options, which takes its value.
  bool is_synonym() const { return !ours.empty() && ours.find('=') == std::string_view::npos; }
  /// Returns true if only "true" or "false" can be its value. Without a value it is "true".
  bool is_flag() const { return ours.find('=') != std::string_view::npos || same == "true" || same == "false"; }
  /// Portatune's option without a value.
  std::string our_option() const { return std::string(ours.substr(0, ours.find('='))); }
};

/// The row of an option's name as Portatune spells it ("--warmup-ratio"); null if there is none.
const OtherOption* find_other_option(std::string_view name);

/// The reason why a value of the option is refused; empty if it asks for the behaviour that Portatune has anyway,
/// or for one of Portatune's options.
std::string refusal_of(const OtherOption& option, const std::string& value);

/// The option that `command` has in place of an option of other commands: "--tokenizer FOLDER" for tokenize's
/// "--model". Empty if there is none.
std::string own_option(std::string_view command, std::string_view others);

/// The word "true" or "false" for a word that transformers accepts for it, such as "True" or "0"; otherwise empty.
std::string as_bool(std::string_view word);

/// The value of --resume that replaces "true" or "false" as the value of --resume-from-checkpoint: in transformers, True
/// is the newest checkpoint. Nothing for a checkpoint's folder, and for other options.
std::optional<bool> resumes_from_newest(std::string_view option, std::string_view value);

/// Names of other programs for one of Portatune's options: {"lr"} for "--learning-rate".
std::vector<std::string> other_names_of(std::string_view our_option);

/// The options of other programs that ask for what Portatune does anyway, for some of their values.
std::vector<const OtherOption*> options_without_effect();
/// The values of such an option, for which it has no effect; empty: all values.
std::vector<std::string> values_without_effect(const OtherOption& option);

/// The command in place of an unknown one: "train" is "fit". Empty if there is none.
std::string command_instead_of(std::string_view name);
/// The --task of another name: "ner" is "token-classification". Empty if there is none.
std::string task_instead_of(std::string_view name);

}  // namespace portatune::cli
