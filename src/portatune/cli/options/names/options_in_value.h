// Options of transformers whose value holds several options: --optim-args, --lr-scheduler-kwargs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portatune::cli {

/// An option of Portatune and its value: "--momentum", "0.9".
struct OptionAndValue {
  std::string option, value;
};

/// Names of these options: {"optim-args", "lr-scheduler-kwargs"}.
std::vector<std::string> names_of_holders();

/// Whether the value of an option holds several options.
/// name  with hyphens: "--optim-args"
bool holds_options(std::string_view name);

/// The options in the value of such an option: `lr_scheduler_kwargs={"num_cycles": 2}` is --lr-num-cycles 2.
/// where   origin of the value, for errors
/// errors  UsageError for a value of another form, and for a key without an option here
std::vector<OptionAndValue> options_in_value(std::string_view name, const std::string& value, const std::string& where);

}  // namespace portatune::cli
