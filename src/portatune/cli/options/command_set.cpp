#include "portatune/cli/options/command_set.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/cli/options/command_words.h"
#include "portatune/cli/options/commands/add_options.h"
#include "portatune/cli/options/commands/fit_options.h"
#include "portatune/cli/options/help/completion.h"
#include "portatune/cli/options/help/help.h"
#include "portatune/cli/options/help/help_examples.h"
#include "portatune/cli/options/help/manual.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/parse_errors.h"
#include "portatune/cli/options/recipes/recipe_schema.h"
#include "portatune/cli/options/recipes/recipe_words.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

void add_texts(CLI::App& command, const char* examples) {
  command.footer(examples);
  command.set_help_flag();
}

bool one_has_option(const CLI::App& app, const std::string& option) {
  if (app.get_option_no_throw(option) != nullptr) return true;
  return std::ranges::any_of(commands_in(app),
                             [&](const CLI::App* command) { return one_has_option(*command, option); });
}

}  // namespace

template <class Arguments>
void CommandSet::add(CLI::App& group, const char* name, const char* description, const char* examples,
                     Arguments& arguments) {
  CLI::App& command = *group.add_subcommand(name, description);
  add_options(command, arguments);
  add_texts(command, examples);
  results_[&command] = [&arguments] { return Command(arguments); };
}

CLI::App& CommandSet::add_group(const char* name, const char* description, const char* examples) {
  CLI::App& group = *app.add_subcommand(name, description);
  add_texts(group, examples);
  return group;
}

CommandSet::CommandSet() {
  add_texts(app, kExamples);
  const auto nothing = [] {};  // parse() looks for these flags itself
  app.add_flag_callback("-h,--help", nothing, "this text, or that of a command")->group("Options");
  app.add_flag_callback("--help-all", nothing, "with all options of a command")->group("Options");
  app.add_flag("-V,--version", version, "the version")->group("Options");
  add(app, "fit", "Fine-tune a model.", kFitExamples, fit);
  add(app, "evaluate", "Measure a model on rows with labels.", kEvaluateExamples, evaluate);
  add(app, "predict", "Predict labels, answers or scores for rows.", kPredictExamples, predict);
  add(app, "generate", "Generate text.", kGenerateExamples, generate);
  add(app, "tokenize", "Turn texts into token ids and offsets.", kTokenizeExamples, tokenize);
  CLI::App& tokenizers = add_group("tokenizer", "Train tokenizers.", kTokenizerTrainExamples);
  add(tokenizers, "train", "Train a tokenizer on texts.", kTokenizerTrainExamples, tokenizer_train);
  add(app, "grow", "Make a model with more or wider layers from a trained one.", kGrowExamples, grow);
  add(app, "merge", "Merge an adapter into its model.", kMergeExamples, merge);
  CLI::App& tfrecord = add_group("tfrecord", "Write, inspect and index TFRecord files.", kTfrecordExamples);
  add(tfrecord, "write", "Write rows of tables, images or recordings as tf.train.Example.", kTfrecordWriteExamples,
      tfrecord_write);
  add(tfrecord, "inspect", "Show features, counts, first records and damage.", kTfrecordInspectExamples,
      tfrecord_inspect);
  add(tfrecord, "index", "Write indexes of files that other programs wrote.", kTfrecordIndexExamples, tfrecord_index);
  add(app, "devices", "Show the plugin, its devices and the kernels.", kDevicesExamples, devices);
  add(app, "doctor", "Check this machine and the installation.", kDoctorExamples, doctor);
  CLI::App& plugins = add_group("plugin", "List and install XLA plugins for GPUs and TPUs.", kPluginExamples);
  add(plugins, "list", "List plugins, and which of them are installed.", kPluginListExamples, plugin_list);
  add(plugins, "install", "Install a plugin into the user's cache.", kPluginInstallExamples, plugin_install);
  add(app, "recipes", "List the recipes that come with Portatune, or show one.", kRecipesExamples, recipes);
  results_[app.get_subcommand("recipes")] = [this] { return recipes.schema ? Text{schema()} : Command(recipes); };
  add_completion();
  add(app, "download", "Download a model of the Hugging Face Hub.", kDownloadExamples, download);
  CLI::App& cache = add_group("cache", "List and remove downloaded models.", kCacheExamples);
  add(cache, "ls", "List the models in the Hugging Face cache.", kCacheListExamples, cache_list);
  add(cache, "rm", "Remove a model from the Hugging Face cache.", kCacheRemoveExamples, cache_remove);
  add(app, "bench", "Time training steps on random tokens.", kBenchExamples, bench);
  add(app, "bench-input", "Benchmark the input pipeline.", kBenchInputExamples, bench_input);
  add(app, "plan", "Compile a training run for other devices: memory and speed.", kPlanExamples, plan);
  add(app, "parity", "Compare a model with transformers, or a run on two settings.", kParityExamples, parity);
  add(app, "sweep", "Fine-tune with several settings and seeds, and keep the best.", kSweepExamples, sweep);
  add(app, "report", "Show the curves, scores and settings of runs on a page.", kReportExamples, report);
  add(app, kRunCommand, "Run a Python script with the allocator of the command.", kRunExamples, run_script);
  add_manual();
}

void CommandSet::add_completion() {
  CLI::App& command =
      add_group("completion", "Print a script for the completion of words by the shell.", kCompletionExamples);
  Group(command, "Options")
      .choice(
          "shell", shells(), [this](const std::string& name) { shell = name; }, "bash, zsh or fish")
      ->required();
  results_[&command] = [this] { return Text{completion(app, shell)}; };
}

void CommandSet::add_manual() {
  CLI::App& command = add_group(kManCommand, "Print a manual page.", kManExamples);
  Group(command, "Options").flag("--list", lists_pages, "print the commands that have a page");
  results_[&command] = [this] {
    return Text{lists_pages ? fmt::format("{}\n", fmt::join(manual_topics(app), "\n")) : manual_page(app)};
  };
}

std::string CommandSet::schema() {
  if (!recipes.name.empty()) return schema_of(recipes.name);
  std::vector<const CLI::App*> commands = commands_in(app);
  std::erase_if(commands, [](const CLI::App* one) { return one->get_option_no_throw(kRecipeOption) == nullptr; });
  return recipe_schema("The options of portatune fit, evaluate and the other commands with --recipe", commands,
                       fit_fields(fit));
}

std::string CommandSet::schema_of(const std::string& name) {
  const CLI::App& command = command_in(CLI::detail::split(name, ' '), app);
  if (full_name(command) != name) {
    std::vector<std::string> known;
    for (const CLI::App* one : commands_in(app)) known.push_back(one->get_name());
    throw UsageError(
        {.where = "recipes --command", .given = "unknown command " + name, .expected = "one of " + list_of(known)});
  }
  return recipe_schema("The options of portatune " + name, {&command}, fit_fields(fit));
}

Command CommandSet::command() const {
  const CLI::App& chosen = chosen_in(app);
  if (const auto result = results_.find(&chosen); result != results_.end()) return result->second();
  // `where` is not the bare name, because there is also an option --plugin.
  throw UsageError(
      {.where = "portatune " + full_name(chosen), .given = "no command", .fix = ParseErrors(app).advice(chosen)});
}

bool CommandSet::has_option(const std::string& option) const { return one_has_option(app, option); }

}  // namespace portatune::cli
