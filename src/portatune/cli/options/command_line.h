// The parser of the command line: from argv to the arguments of a command.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "portatune/cli/options/arguments.h"

namespace portatune::cli {

/// A requested text: help or version.
struct Text {
  std::string text;
};

using Command =
    std::variant<Text, FitArguments, EvaluateArguments, PredictArguments, GenerateArguments, TokenizeArguments,
                 TokenizerTrainArguments, GrowArguments, MergeArguments, TfrecordWriteArguments,
                 TfrecordInspectArguments, TfrecordIndexArguments, DevicesArguments, DoctorArguments,
                 PluginListArguments, PluginInstallArguments, DownloadArguments, CacheListArguments,
                 CacheRemoveArguments, RecipesArguments, BenchArguments, BenchInputArguments, PlanArguments,
                 ParityArguments, SweepArguments, ReportArguments, RunScriptArguments>;

/// words  the command line without the program's name
/// errors UsageError, which suggests the nearest name for an unknown one
Command parse(const std::vector<std::string>& words);

/// The name of an option of a command as its help writes it: "--learning-rate" for the synonym "--lr". Unknown names
/// are unchanged but for hyphens.
/// errors  UsageError for a name of another program that stands for an option with a value, such as "--fp16"
std::string own_name(const std::string& command, const std::string& option);

/// The option that sets what the library calls `name`: max_length is --max-length. Other names are unchanged.
std::string as_option(const std::string& name);

}  // namespace portatune::cli
