// The options of a command of several runs as command lines of `portatune fit`, one for each run.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "portatune/cli/options/arguments.h"

namespace portatune::cli {

/// The words of `portatune fit` for the options that were typed, not those of a recipe.
/// command       name of the command: "sweep"
/// is_left_out   selects options, by their names: "--output"
std::vector<std::string> words_of_run(const FitArguments& fit, const std::string& command,
                                      const std::function<bool(const std::string&)>& is_left_out);

/// Returns whether all runs of a command have an option in common, because it is about their device, the recipe or
/// reports.
bool is_of_all_runs(const std::string& option);

/// The options that the parser of the command line reads in the words of `portatune fit`.
/// stop    requests the end of the run
/// models  the models of earlier runs, on which remarks are made once; gets the model of this one
/// errors  those of parse()
run::RunOptions options_in(const std::vector<std::string>& words, const StopToken& stop,
                           std::set<std::filesystem::path>& models);

}  // namespace portatune::cli
