// The options of each command: names, defaults, ranges and the text of --help.
#pragma once

#include "portatune/cli/options/arguments.h"

namespace CLI {
class App;
}

namespace portatune::cli {

// Each adds the options of a command. `arguments` must outlive the parsing.
void add_options(CLI::App& command, FitArguments& arguments);
void add_options(CLI::App& command, EvaluateArguments& arguments);
void add_options(CLI::App& command, PredictArguments& arguments);
void add_options(CLI::App& command, GenerateArguments& arguments);
void add_options(CLI::App& command, TokenizeArguments& arguments);
void add_options(CLI::App& command, TfrecordWriteArguments& arguments);
void add_options(CLI::App& command, TfrecordInspectArguments& arguments);
void add_options(CLI::App& command, TokenizerTrainArguments& arguments);
void add_options(CLI::App& command, TfrecordIndexArguments& arguments);
void add_options(CLI::App& command, DevicesArguments& arguments);
void add_options(CLI::App& command, PluginListArguments& arguments);
void add_options(CLI::App& command, PluginInstallArguments& arguments);
void add_options(CLI::App& command, DownloadArguments& arguments);
void add_options(CLI::App& command, CacheListArguments& arguments);
void add_options(CLI::App& command, CacheRemoveArguments& arguments);
void add_options(CLI::App& command, RecipesArguments& arguments);
void add_options(CLI::App& command, BenchArguments& arguments);
void add_options(CLI::App& command, BenchInputArguments& arguments);
void add_options(CLI::App& command, PlanArguments& arguments);
void add_options(CLI::App& command, ParityArguments& arguments);
void add_options(CLI::App& command, SweepArguments& arguments);
void add_options(CLI::App& command, ReportArguments& arguments);
void add_options(CLI::App& command, GrowArguments& arguments);
void add_options(CLI::App& command, MergeArguments& arguments);
void add_options(CLI::App& command, DoctorArguments& arguments);
void add_options(CLI::App& command, RunScriptArguments& arguments);

}  // namespace portatune::cli
