// The commands. Each returns the exit code and throws its errors.
#pragma once

#include "portatune/cli/options/arguments.h"

namespace portatune::cli {

class Processes;

int execute(const FitArguments& arguments, Processes& processes);
int execute(const EvaluateArguments& arguments, Processes& processes);
int execute(const PredictArguments& arguments, Processes& processes);
int execute(const GenerateArguments& arguments, Processes& processes);
int execute(const TokenizeArguments& arguments);
int execute(const TokenizerTrainArguments& arguments);
int execute(const TfrecordWriteArguments& arguments);
int execute(const TfrecordInspectArguments& arguments);
int execute(const TfrecordIndexArguments& arguments);
int execute(const GrowArguments& arguments);
int execute(const MergeArguments& arguments);
int execute(const DevicesArguments& arguments);
int execute(const PluginListArguments& arguments);
int execute(const PluginInstallArguments& arguments);
int execute(const DownloadArguments& arguments);
int execute(const CacheListArguments& arguments);
int execute(const CacheRemoveArguments& arguments);
int execute(const RecipesArguments& arguments);
int execute(const BenchArguments& arguments);
int execute(const BenchInputArguments& arguments);
int execute(const PlanArguments& arguments, Processes& processes);
int execute(const ParityArguments& arguments);
int execute(const SweepArguments& arguments, Processes& processes);
int execute(const ReportArguments& arguments);
int execute(const DoctorArguments& arguments);
int execute(const RunScriptArguments& arguments);
int compare_runs(const ParityArguments& arguments);  ///< parity without a case

}  // namespace portatune::cli
