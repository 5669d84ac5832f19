// Names that users bring along: of transformers' TrainingArguments and example scripts, and of other programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune::cli {

/// What an option of another program means here.
struct OtherOption {
  std::string_view name;    ///< without leading hyphens: "bf16"; "ddp-*" matches all names that begin so
  std::string_view ours;    ///< "--learning-rate" takes its value, "--dtype=bfloat16" replaces it if it is true
  std::string_view same;    ///< values, separated by '|', that ask for what Portatune does anyway; "*": all values
  std::string_view answer;  ///< for other values: what to do instead, or why there is no such option

  /// Whether it is another name of an option of ours, which takes its value.
  bool is_synonym() const { return !ours.empty() && ours.find('=') == std::string_view::npos; }
  /// Whether only "true" or "false" can be its value. Without a value it is "true".
  bool is_flag() const { return ours.find('=') != std::string_view::npos || same == "true" || same == "false"; }
  /// The option of ours, without a value.
  std::string our_option() const { return std::string(ours.substr(0, ours.find('='))); }
};

/// The row of an option's name as Portatune spells it ("--warmup-ratio"); null if there is none.
const OtherOption* find_other_option(std::string_view name);

/// Why a value of the option is refused; empty if it asks for what Portatune does anyway, or for an option of ours.
std::string refusal_of(const OtherOption& option, const std::string& value);

/// The option that `command` has in place of one of another command: "--tokenizer FOLDER" for tokenize's "--model".
/// Empty if it has none.
std::string own_option(std::string_view command, std::string_view others);

/// "true" or "false" for what transformers takes for these, such as "True" or "0"; else empty.
std::string as_bool(std::string_view word);

/// Names of other programs for one of Portatune's options: {"lr"} for "--learning-rate".
std::vector<std::string> other_names_of(std::string_view our_option);

/// What to do instead of an unknown command: "train" is "fit". Empty if nothing is known.
std::string command_instead_of(std::string_view name);
/// The --task of another name: "ner" is "token-classification". Empty if nothing is known.
std::string task_instead_of(std::string_view name);

}  // namespace portatune::cli
