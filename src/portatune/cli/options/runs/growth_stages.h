// The stages of `portatune fit --grow`: a YAML file with a list of settings for each stage.
#pragma once

#include "portatune/cli/options/arguments.h"
#include "portatune/run/stages.h"

namespace portatune::cli {

/// The stages of a file. A setting is an option of `portatune grow` for the model before the stage, or one of
/// `portatune fit`, which overrides that of the command line.
/// errors  UsageError with file and line for what is no list of settings, and for an unknown or unfit option; those of
///         parse()
run::StagesOptions growth_stages(const FitArguments& a);

}  // namespace portatune::cli
