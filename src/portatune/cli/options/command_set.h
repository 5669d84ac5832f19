// The program for CLI11: its commands and their options, and the arguments that the options fill.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>

#include "portatune/cli/options/command_line.h"

namespace portatune::cli {

class CommandSet {
 public:
  CommandSet();
  CommandSet(const CommandSet&) = delete;
  CommandSet& operator=(const CommandSet&) = delete;

  CLI::App app{"Portatune fine-tunes pretrained transformers.", "portatune"};
  bool version = false;  ///< whether the version is asked for
  FitArguments fit;
  EvaluateArguments evaluate;
  PredictArguments predict;
  GenerateArguments generate;
  TokenizeArguments tokenize;
  TokenizerTrainArguments tokenizer_train;
  GrowArguments grow;
  MergeArguments merge;
  TfrecordWriteArguments tfrecord_write;
  TfrecordInspectArguments tfrecord_inspect;
  TfrecordIndexArguments tfrecord_index;
  DevicesArguments devices;
  DoctorArguments doctor;
  PluginListArguments plugin_list;
  PluginInstallArguments plugin_install;
  RecipesArguments recipes;
  std::string shell;  ///< the argument of `completion`
  DownloadArguments download;
  CacheListArguments cache_list;
  CacheRemoveArguments cache_remove;
  BenchArguments bench;
  BenchInputArguments bench_input;
  PlanArguments plan;
  ParityArguments parity;
  SweepArguments sweep;
  ReportArguments report;
  RunScriptArguments run_script;
  bool lists_pages = false;  ///< the option of `man`

  /// The command that CLI11 has found, with its arguments.
  /// errors  UsageError if the words name no command
  Command command() const;

  /// Whether one of the commands has this option.
  bool has_option(const std::string& option) const;

 private:
  using Result = std::function<Command()>;

  template <class Arguments>
  void add(CLI::App& group, const char* name, const char* description, const char* examples, Arguments& arguments);
  // Adds a group of commands, whose names begin with the name of the group, or a command without arguments of its own.
  CLI::App& add_group(const char* name, const char* description, const char* examples);
  void add_completion();
  void add_manual();
  std::string schema();
  std::string schema_of(const std::string& name);

  std::map<const CLI::App*, Result> results_;
};

}  // namespace portatune::cli
