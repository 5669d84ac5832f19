// The arguments of a command from its words.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "portatune/cli/options/command_line.h"
#include "portatune/cli/options/model_arguments.h"
#include "portatune/error.h"
#include "portatune/run/launch/process_options.h"

namespace portatune::python {

using Words = std::vector<std::string>;

/// errors  UsageError for a timeout
inline void refuse_hang_timeout(cli::HangTimeout timeout_s) {
  if (!timeout_s) return;
  throw UsageError(
      {.where = "hang_timeout", .given = "a call from Python", .expected = "the command, as only it ends its process"});
}

/// The arguments that the command line has for these words, with its defaults, its other names and its errors.
/// Downloads a model of the Hub that is missing.
/// errors  those of cli::parse() and cli::with_model_folders(); UsageError for words that ask for a text, and in one of
///         several processes; those of refuse_hang_timeout()
template <class Arguments>
Arguments arguments_of(const Words& words) {
  run::require_one_process(find_launch(), "Python module");
  cli::Command command = cli::with_model_folders(cli::parse(words), words);
  if (auto* arguments = std::get_if<Arguments>(&command)) {
    if constexpr (requires { arguments->hang_timeout_s; }) refuse_hang_timeout(arguments->hang_timeout_s);
    return std::move(*arguments);
  }
  throw UsageError({.where = words.front(),
                    .given = "an option that prints a text, such as print_config",
                    .expected = "options of a run"});
}

}  // namespace portatune::python
