// The options of a training run, which fit, plan, sweep and parity have.
#pragma once

#include <vector>

#include "portatune/cli/options/arguments.h"
#include "portatune/option_fields.h"

namespace CLI {
class App;
}

namespace portatune::cli {

/// Adds the options of a training run to a command. `arguments` must outlive the parsing.
void add_run_options(CLI::App& command, FitArguments& arguments);

/// The described fields of these options. They refer to `arguments`.
std::vector<OptionField> fit_fields(FitArguments& arguments);

}  // namespace portatune::cli
