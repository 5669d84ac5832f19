// The arguments of the commands. Defaults of options that the library has are in its structs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "portatune/analysis/report/page.h"
#include "portatune/cli/terminal/reporting.h"
#include "portatune/device.h"
#include "portatune/generate/options.h"
#include "portatune/generation.h"
#include "portatune/models/grow/grow_model.h"
#include "portatune/run.h"
#include "portatune/run/generation/prompts.h"
#include "portatune/run/predictions/used_models.h"
#include "portatune/run/probes/step_times.h"
#include "portatune/run/tfrecord/write_tfrecord.h"
#include "portatune/run/tokenizer/tokenize.h"
#include "portatune/run/tokenizer/train_tokenizer.h"
#include "portatune/sources.h"
#include "portatune/text.h"
#include "portatune/train.h"

namespace portatune::cli {

/// Names and values of all options but paths and those of the report; the value is empty for an option that was not
/// given.
using OptionValues = std::vector<std::pair<std::string, std::string>>;

/// Seconds of --hang-timeout; 0: the command is not watched; nullopt: the default, which several processes have.
using HangTimeout = std::optional<double>;

struct FitArguments : run::RunOptions {
  std::filesystem::path grow;  ///< a file with the stages of the run; empty: there is one
  HangTimeout hang_timeout_s;
  Reporting reporting;
  std::vector<std::string> words;  ///< the command line, the source of the command that resumes the run
  OptionValues values;
};

struct EvaluateArguments : run::EvaluateOptions {
  std::vector<run::NamedAdapter> adapters;
  std::vector<std::string> settings;  ///< options that the model's portatune.json gave: "--max-length=64"
  OptionValues values;
  HangTimeout hang_timeout_s;
  Reporting reporting;
};

struct PredictArguments : run::PredictOptions {
  std::vector<run::NamedAdapter> adapters;
  std::vector<std::string> settings;  ///< as in EvaluateArguments
  OptionValues values;
  std::filesystem::path output = "-";
  HangTimeout hang_timeout_s;
  Reporting reporting;
};

struct GenerateArguments : run::PromptOptions {
  std::filesystem::path model;
  std::vector<run::NamedAdapter> adapters;
  int64_t batch_size = GeneratorOptions{}.batch_size;
  GenerationOptions defaults;        ///< those of a folder without settings
  generate::OptionTexts generation;  ///< options of generation, which override those of the folder
  DType dtype = DType::kFloat32;
  DeviceOptions device;
  std::filesystem::path output = "-";
  OptionValues values;
  HangTimeout hang_timeout_s;
  Reporting reporting;
};

struct TokenizeArguments : run::TokenizeOptions {
  std::filesystem::path output = "-";
  Reporting reporting;
};

struct TokenizerTrainArguments : run::TrainTokenizerOptions {
  Reporting reporting;
};

struct TfrecordWriteArguments : run::TfrecordOptions {
  Reporting reporting;
};

struct TfrecordInspectArguments {
  std::vector<std::string> files;
  bool verify = false;
  int64_t records = 3;  ///< number of records to show
  Reporting reporting;
};

struct TfrecordIndexArguments {
  std::vector<std::string> files;
  Reporting reporting;
};

struct GrowArguments {
  std::filesystem::path model;  ///< a whole model
  grow::GrowthOptions growth;
  std::filesystem::path output;
  Reporting reporting;
};

struct MergeArguments {
  std::filesystem::path model;  ///< an adapter
  std::filesystem::path output;
  Reporting reporting;
};

struct DevicesArguments {
  DeviceOptions device;
  Reporting reporting;
};

struct PluginListArguments {
  Reporting reporting;
};

struct PluginInstallArguments {
  std::string name;
  std::string index_url;  ///< URL of the package index; empty: $PIP_INDEX_URL, or PyPI
  Reporting reporting;
};

struct DownloadArguments {
  std::string name;  ///< "org/name" or "org/name@revision"
  Reporting reporting;
};

struct CacheListArguments {
  Reporting reporting;
};

struct CacheRemoveArguments {
  std::string name;  ///< "org/name"
  Reporting reporting;
};

struct RecipesArguments {
  std::string name;     ///< a recipe to show; empty: the names of all recipes are listed
  bool schema = false;  ///< prints the schema of recipes, or of the options of the command `name`
};

struct BenchArguments : run::StepTimesOptions {};

struct BenchInputArguments {
  FitArguments fit;  ///< the run; only its data, sizes and seed are used
  double seconds = 3;
};

struct PlanArguments {
  FitArguments fit;                  ///< the planned run
  std::vector<std::string> on;       ///< targets
  bool largest_batch = false;        ///< look for the largest batch that fits
  std::filesystem::path save;        ///< a folder for the compiled programs; empty: they are not saved
  std::optional<double> time_limit;  ///< seconds for each target; 0: no limit; nullopt: the default
};

struct SweepArguments {
  FitArguments fit;                         ///< the options of all trials
  std::map<std::string, std::string> grid;  ///< values by option: "1e-5,3e-5", or a range "1e-5..1e-4"
  int64_t seeds = 1;                        ///< number of trials of a configuration
  int64_t random = 0;                       ///< number of random configurations; 0: all combinations
  bool halving = false;
  int64_t halving_factor = 3;
  bool keep_models = false;
};

struct ReportArguments {
  std::vector<std::filesystem::path> runs;  ///< output folders of runs
  std::filesystem::path output = report::kPageFile;
};

struct DoctorArguments {
  std::filesystem::path bundle;  ///< an archive to write for a bug report; empty: none
  Reporting reporting;
};

struct ParityArguments {
  std::filesystem::path reference;  ///< the case's folder; empty: a training run is compared
  std::filesystem::path dump;       ///< a folder for the computed values of a case; empty: none
  FitArguments fit;                 ///< the run; a case uses dtype, device and reporting alone
  std::string against;              ///< the settings in which the second run differs
  int64_t steps = 20;
  int64_t every = 1;               ///< steps between comparisons of gradients and parameters
  std::optional<DType> tolerance;  ///< type whose tolerance applies; nullopt: the coarser of the two types
};

struct RunScriptArguments {
  std::filesystem::path script;  ///< a Python script
  std::vector<std::string> arguments;
};

}  // namespace portatune::cli
