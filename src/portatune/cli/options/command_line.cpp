#include "portatune/cli/options/command_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "portatune/base/message.h"
#include "portatune/base/version.h"
#include "portatune/cli/options/completion.h"
#include "portatune/cli/options/help.h"
#include "portatune/cli/options/help_examples.h"
#include "portatune/cli/options/manual.h"
#include "portatune/cli/options/model_settings.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/options.h"
#include "portatune/cli/options/other_names.h"
#include "portatune/cli/options/own_words.h"
#include "portatune/cli/options/printed_config.h"
#include "portatune/cli/options/recipe_schema.h"
#include "portatune/cli/options/recipe_words.h"
#include "portatune/cli/terminal/progress_bar.h"
#include "portatune/cli/terminal/resume_command.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

bool has_option(const CLI::App& app, const std::string& option) {
  if (app.get_option_no_throw(option) != nullptr) return true;
  return std::ranges::any_of(commands_in(app), [&](const CLI::App* command) { return has_option(*command, option); });
}

std::vector<std::string> names_in(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_in(app)) names.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

constexpr const char* kHelpCommand = "help";
constexpr const char* kManCommand = "man";
constexpr const char* kRunCommand = "run";

// Whether the words after the first one name a command as the topic of help or of a manual page.
bool has_topic(const std::vector<std::string>& words) {
  const bool is_name = words.size() > 1 && !words[1].starts_with("-");
  return words.front() == kHelpCommand || (words.front() == kManCommand && is_name);
}

// Whether the words run a script. All words after its name are arguments of the script, options too.
bool is_script(const std::vector<std::string>& words) {
  return words.size() > 1 && words.front() == kRunCommand && !words[1].starts_with("-");
}

// The required options: " --model PATH --train FILE...".
std::string required_options(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required()) continue;
    text += " " + (option->get_positional() ? "" : option->get_name() + " ") + option->get_type_name();
  }
  return text;
}

// The values of an option among words that are not parsed yet.
std::vector<std::string> values_of(const std::string& option, const std::vector<std::string>& words) {
  std::vector<std::string> values;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size())
      values.push_back(words[++i]);
    else if (words[i].starts_with(option + "="))
      values.push_back(words[i].substr(option.size() + 1));
  }
  return values;
}

// The program with one App for each command, and the arguments that the options fill.
class Parser {
 public:
  Parser() {
    app_.footer(kExamples);
    app_.set_help_flag();
    const auto nothing = [] {};  // parse() looks for these flags itself
    app_.add_flag_callback("-h,--help", nothing, "this text, or that of a command")->group("Options");
    app_.add_flag_callback("--help-all", nothing, "with all options of a command")->group("Options");
    app_.add_flag("-V,--version", version_, "the version")->group("Options");
    add("fit", "Fine-tune a model.", kFitExamples, fit_);
    add("evaluate", "Measure a model on rows with labels.", kEvaluateExamples, evaluate_);
    add("predict", "Predict labels, answers or scores for rows.", kPredictExamples, predict_);
    add("generate", "Generate text.", kGenerateExamples, generate_);
    add("tokenize", "Turn texts into token ids and offsets.", kTokenizeExamples, tokenize_);
    CLI::App& tokenizer = add_group("tokenizer", "Train tokenizers.", kTokenizerTrainExamples);
    add("train", "Train a tokenizer on texts.", kTokenizerTrainExamples, tokenizer_train_, tokenizer);
    add("grow", "Make a model with more or wider layers from a trained one.", kGrowExamples, grow_);
    add("merge", "Merge an adapter into its model.", kMergeExamples, merge_);
    CLI::App& tfrecord = add_group("tfrecord", "Write, inspect and index TFRecord files.", kTfrecordExamples);
    add("write", "Write rows of tables, images or recordings as tf.train.Example.", kTfrecordWriteExamples,
        tfrecord_write_, tfrecord);
    add("inspect", "Show features, counts, first records and damage.", kTfrecordInspectExamples, tfrecord_inspect_,
        tfrecord);
    add("index", "Write indexes of files that other programs wrote.", kTfrecordIndexExamples, tfrecord_index_,
        tfrecord);
    add("devices", "Show the plugin, its devices and the kernels.", kDevicesExamples, devices_);
    add("doctor", "Check this machine and the installation.", kDoctorExamples, doctor_);
    CLI::App& plugin = add_group("plugin", "List and install XLA plugins for GPUs and TPUs.", kPluginExamples);
    add("list", "List plugins, and which of them are installed.", kPluginListExamples, plugin_list_, plugin);
    add("install", "Install a plugin into the user's cache.", kPluginInstallExamples, plugin_install_, plugin);
    add("recipes", "List the recipes that come with Portatune, or show one.", kRecipesExamples, recipes_);
    CLI::App& completion =
        add_group("completion", "Print a script for the completion of words by the shell.", kCompletionExamples);
    Group(completion, "Options")
        .choice(
            "shell", shells(), [this](const std::string& shell) { shell_ = shell; }, "bash, zsh or fish")
        ->required();
    add("download", "Download a model of the Hugging Face Hub.", kDownloadExamples, download_);
    CLI::App& cache = add_group("cache", "List and remove downloaded models.", kCacheExamples);
    add("ls", "List the models in the Hugging Face cache.", kCacheListExamples, cache_list_, cache);
    add("rm", "Remove a model from the Hugging Face cache.", kCacheRemoveExamples, cache_remove_, cache);
    add("bench", "Time training steps on random tokens.", kBenchExamples, bench_);
    add("bench-input", "Benchmark the input pipeline.", kBenchInputExamples, bench_input_);
    add("plan", "Compile a training run for other devices: memory and speed.", kPlanExamples, plan_);
    add("parity", "Compare a model with transformers, or a run on two settings.", kParityExamples, parity_);
    add("sweep", "Fine-tune with several settings and seeds, and keep the best.", kSweepExamples, sweep_);
    add("report", "Show the curves, scores and settings of runs on a page.", kReportExamples, report_);
    add(kRunCommand, "Run a Python script with the allocator of the command.", kRunExamples, run_script_);
    CLI::App& manual = add_group(kManCommand, "Print a manual page.", kManExamples);
    Group(manual, "Options").flag("--list", lists_pages_, "print the commands that have a page");
  }

  /// settings  the settings in the model's folder, which the words and their recipe override; null: none
  Command parse(const std::vector<std::string>& words, const Recipe* settings = nullptr) {
    if (is_script(words)) return RunScriptArguments{words[1], {words.begin() + 2, words.end()}};
    const CLI::App& named = command_in(words);
    reject_unknown_topic(words, named);
    if (asks_for_help(words)) return Text{help(named, help_request(words))};
    if (has_topic(words)) return Text{manual_page(named)};
    const std::vector<std::string> own = in_own_words(words, named, place_of(named));
    RecipeWords recipe = recipe_words(own, named);
    std::vector<std::string> settings_words;
    if (settings != nullptr) settings_words = add_settings(*settings, own, named, recipe);
    parse(own, recipe);
    if (version_) return Text{fmt::format("portatune {}\n", version())};
    fit_.words = words;
    fit_.command = command_of(words);
    fit_.values = evaluate_.values = predict_.values = generate_.values = values();
    sweep_.fit.words = words;
    for (run::ModelOptions* model : {&fit_.model, &evaluate_.model, &predict_.model, &bench_input_.fit.model,
                                     &plan_.fit.model, &parity_.fit.model, &sweep_.fit.model}) {
      model->given = given(recipe);
    }
    evaluate_.settings = predict_.settings = settings_words;
    places_ = std::move(recipe.places);
    return command();
  }

  /// See cli::own_name().
  std::string own_name(const std::string& command, const std::string& option) const {
    const CLI::App& named = command_in({command});
    std::string name = with_hyphens(option);
    const OtherOption* other = named.get_option_no_throw(name) == nullptr ? find_other_option(name) : nullptr;
    if (other != nullptr && !other->is_synonym()) {
      throw UsageError({.where = command, .given = option, .fix = refusal_of(*other, "")});
    }
    if (other != nullptr) name = other->our_option();
    const CLI::Option* own = named.get_option_no_throw(name);
    return own == nullptr ? name : own->get_name();
  }

  /// The parsed command, or its options as a recipe if --print-config asks for them.
  Command or_config(Command command) const {
    const CLI::Option* option = chosen().get_option_no_throw(kPrintConfig);
    const bool is_asked = option != nullptr && option->count() > 0 && option->as<bool>();
    return is_asked ? Text{printed_config(chosen(), places_)} : std::move(command);
  }

  /// Returns true if one of the commands has this option.
  bool has(const std::string& option) const { return has_option(app_, option); }

 private:
  static bool is_help(const std::string& word) { return word == "--help" || word == "-h" || word == "--help-all"; }

  // Help has priority over every error.
  static bool asks_for_help(const std::vector<std::string>& words) {
    return words.front() == kHelpCommand || std::ranges::any_of(words, is_help);
  }

  static HelpRequest help_request(const std::vector<std::string>& words) {
    const std::vector<std::string> tasks = values_of("--task", words);
    return {.columns = terminal_columns(STDOUT_FILENO),
            .all = std::ranges::count(words, "--help-all") > 0,
            .task = tasks.empty() ? "" : tasks.back()};
  }

  // Rejects an unknown topic: "help ftt", "man tfrecord wrte".
  void reject_unknown_topic(const std::vector<std::string>& words, const CLI::App& named) const {
    if (!has_topic(words)) return;
    size_t next = 1;  // the word after the names of `named`
    for (const CLI::App* app = &named; app != &app_; app = app->get_parent()) ++next;
    if (next >= words.size() || words[next].starts_with("-")) return;
    const std::string given = "unknown command " + words[next];
    if (&named == &app_) reject(given, instead_of_command(words[next]));
    const std::string fix = did_you_mean(words[next], named);
    throw UsageError({.where = name_of(named), .given = given, .fix = fix.empty() ? advice(named) : fix});
  }

  // The command that the first words name, or the whole program if they name no command.
  const CLI::App& command_in(const std::vector<std::string>& words) const {
    const CLI::App* app = &app_;
    for (size_t i = has_topic(words) ? 1 : 0; i < words.size(); ++i) {
      const std::vector<const CLI::App*> commands = commands_in(*app);
      const auto found = std::ranges::find(commands, words[i], &CLI::App::get_name);
      if (found == commands.end()) break;
      app = *found;
    }
    return *app;
  }

  RecipeWords recipe_words(const std::vector<std::string>& words, const CLI::App& command) const {
    const std::vector<std::string> names = values_of(kRecipeOption, words);
    if (names.empty() || command.get_option_no_throw(kRecipeOption) == nullptr) return {};
    if (names.size() > 1) throw UsageError({.where = kRecipeOption, .given = list_of(names), .expected = "one recipe"});
    return words_of(read_recipe(names.front()), command, words,
                    [this](const std::string& option) { return has(option); });
  }

  void parse(const std::vector<std::string>& words, const RecipeWords& recipe) {
    std::vector<std::string> reversed(recipe.words.rbegin(), recipe.words.rend());  // the order of CLI11
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
      const bool is_empty = word->starts_with("--") && word->find('=') + 1 == word->size();
      if (is_empty) reversed.emplace_back();  // CLI11 takes "--x=" for an option whose value comes next
      reversed.push_back(is_empty ? word->substr(0, word->size() - 1) : *word);
    }
    try {
      app_.parse(reversed);
    } catch (const CLI::ParseError& error) {
      reject_unknown();
      reject_missing(error);
      throw UsageError({.where = place_of(error.what(), recipe), .given = complaint(error), .fix = advice(chosen())});
    } catch (UsageError& error) {  // see Group and described_options.cpp
      reject_unknown();
      error.set_where(place_of(error.report().where, recipe));
      throw;
    }
  }

  // Adds the settings that neither the command line nor its recipe has to the recipe's words, and returns them.
  std::vector<std::string> add_settings(const Recipe& settings, const std::vector<std::string>& words,
                                        const CLI::App& command, RecipeWords& recipe) const {
    std::vector<std::string> given = words;
    given.insert(given.end(), recipe.words.begin(), recipe.words.end());
    const auto has = [this](const std::string& option) { return this->has(option); };
    RecipeWords added = words_of(settings, command, given, has);
    recipe.words.insert(recipe.words.end(), added.words.begin(), added.words.end());
    recipe.places.merge(added.places);
    return added.words;
  }

  // The options of the chosen command that were given.
  std::vector<run::GivenOption> given(const RecipeWords& recipe) const {
    std::vector<run::GivenOption> options;
    for (const CLI::Option* option : chosen().get_options([](const CLI::Option* o) { return o->count() > 0; })) {
      const auto place = recipe.places.find(option->get_name());
      options.push_back(
          {option->get_name(), place == recipe.places.end() ? chosen().get_name() : place->second, option->results()});
    }
    return options;
  }

  // The names and values of the options of the chosen command, without those that may differ between machines and those
  // of the report.
  OptionValues values() const {
    OptionValues values;
    for (const CLI::Option* option : chosen().get_options()) {
      const std::string name = option->get_name(), type = option->get_type_name();
      const bool may_differ =
          name == "--device" || name == "--quiet" || name == "--json" || name == "--disable-progress";
      if (may_differ || type.starts_with("PATH") || type.starts_with("FILE")) continue;
      values.emplace_back(name, fmt::format("{}", fmt::join(option->results(), " ")));
    }
    return values;
  }

  template <class Arguments>
  void add(const char* name, const char* description, const char* examples, Arguments& arguments) {
    add(name, description, examples, arguments, app_);
  }
  template <class Arguments>
  void add(const char* name, const char* description, const char* examples, Arguments& arguments, CLI::App& group) {
    CLI::App& command = *group.add_subcommand(name, description);
    add_options(command, arguments);
    add_texts(command, examples);
  }
  // Adds a group of commands, whose names begin with the name of the group.
  CLI::App& add_group(const char* name, const char* description, const char* examples) {
    CLI::App& group = *app_.add_subcommand(name, description);
    add_texts(group, examples);
    return group;
  }
  void add_texts(CLI::App& command, const char* examples) {
    command.footer(examples);
    command.set_help_flag();
  }

  const CLI::App& chosen() const {
    const CLI::App* app = &app_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return *app;
  }

  // The name of a command with that of its group: "fit", "tfrecord write".
  static std::string name_of(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    const bool has_group = parent != nullptr && parent->get_parent() != nullptr;
    return has_group ? name_of(*parent) + " " + command.get_name() : command.get_name();
  }

  std::string place_of(const CLI::App& app) const { return &app == &app_ ? "command line" : name_of(app); }

  // The line of the recipe that CLI11 objects to. It is found because the messages of CLI11 begin with the option.
  std::string place_of(std::string_view message, const RecipeWords& recipe) const {
    for (const auto& [option, place] : recipe.places) {
      if (message == option || message.starts_with(option + ":")) return place;
    }
    return place_of(chosen());
  }

  std::string advice(const CLI::App& app) const {
    return &app == &app_ ? "see portatune --help" : "see portatune " + name_of(app) + " --help";
  }

  // The shortest valid command: "portatune fit --model PATH --train FILE... --output PATH".
  std::string usage() const { return "portatune " + name_of(chosen()) + required_options(chosen()); }

  // Unknown options are rejected before missing ones, because a missing option may be present with a typo.
  void reject_unknown() const {
    const std::vector<std::string> unknown = app_.remaining(true);
    if (unknown.empty()) return;
    const std::string name = unknown.front().substr(0, unknown.front().find('='));
    if (name.starts_with("-")) reject("unknown option " + name, instead_of_option(name));
    if (!commands_in(chosen()).empty()) reject("unknown command " + name, instead_of_command(name));
    reject("unknown argument " + name, "name the option that it belongs to: " + usage());
  }

  [[noreturn]] void reject(const std::string& given, const std::string& fix) const {
    throw UsageError({.where = place_of(chosen()), .given = given, .fix = fix.empty() ? advice(chosen()) : fix});
  }

  std::string instead_of_option(const std::string& name) const {
    const OtherOption* other = find_other_option(name);
    const std::string ours = other == nullptr ? name : other->our_option();
    const std::string own = own_option(name_of(chosen()), ours);
    if (!own.empty()) return own;
    for (const CLI::App* command : commands_in(app_)) {
      if (command != &chosen() && command->get_option_no_throw(ours) != nullptr) {
        return ours + " is an option of portatune " + command->get_name();
      }
    }
    return did_you_mean(name, chosen());
  }

  std::string instead_of_command(const std::string& name) const {
    const std::string known = &chosen() == &app_ ? command_instead_of(name) : "";
    return known.empty() ? did_you_mean(name, chosen()) : known;
  }

  static std::string did_you_mean(const std::string& name, const CLI::App& app) {
    return suggestion(nearest(name, names_in(app)));
  }

  // Names all missing options in one error.
  void reject_missing(const CLI::ParseError& error) const {
    if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return;
    std::vector<std::string> missing;
    for (const CLI::Option* option : chosen().get_options()) {
      if (option->get_required() && option->count() == 0) missing.push_back(option->get_name());
    }
    throw UsageError({.where = place_of(chosen()), .given = "no " + list_of(missing), .expected = usage()});
  }

  // The message of CLI11 in plain words.
  std::string complaint(const CLI::ParseError& error) const {
    for (const CLI::Option* option : chosen().get_options()) {
      const bool is_meant = std::string_view(error.what()).starts_with(option->get_name() + ":");
      const auto given = static_cast<int>(option->count());
      if (is_meant && given > option->get_expected_max())
        return option->get_name() + " " + std::to_string(given) + " times";
      if (is_meant && dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
        return option->get_name() + ": a value is missing";
    }
    return error.what();
  }

  std::string schema() {
    if (!recipes_.name.empty()) return schema_of(recipes_.name);
    std::vector<const CLI::App*> commands = commands_in(app_);
    std::erase_if(commands, [](const CLI::App* app) { return app->get_option_no_throw(kRecipeOption) == nullptr; });
    return recipe_schema("The options of portatune fit, evaluate and the other commands with --recipe", commands,
                         described_options(fit_));
  }

  std::string schema_of(const std::string& name) {
    const CLI::App& command = command_in(CLI::detail::split(name, ' '));
    if (name_of(command) != name) {
      throw UsageError({.where = "recipes --command",
                        .given = "unknown command " + name,
                        .expected = "one of " + list_of(names_in(app_))});
    }
    return recipe_schema("The options of portatune " + name, {&command}, described_options(fit_));
  }

  Command command() {
    const std::string name = name_of(chosen());
    if (name == "fit") return fit_;
    if (name == "evaluate") return evaluate_;
    if (name == "predict") return predict_;
    if (name == "generate") return generate_;
    if (name == "tokenize") return tokenize_;
    if (name == "tokenizer train") return tokenizer_train_;
    if (name == "grow") return grow_;
    if (name == "merge") return merge_;
    if (name == "tfrecord write") return tfrecord_write_;
    if (name == "tfrecord inspect") return tfrecord_inspect_;
    if (name == "tfrecord index") return tfrecord_index_;
    if (name == "devices") return devices_;
    if (name == "doctor") return doctor_;
    if (name == "plugin list") return plugin_list_;
    if (name == "plugin install") return plugin_install_;
    if (name == "recipes") return recipes_.schema ? Text{schema()} : Command(recipes_);
    if (name == "completion") return Text{completion(app_, shell_)};
    if (name == "download") return download_;
    if (name == "cache ls") return cache_list_;
    if (name == "cache rm") return cache_remove_;
    if (name == "bench") return bench_;
    if (name == "bench-input") return bench_input_;
    if (name == "plan") return plan_;
    if (name == "parity") return parity_;
    if (name == "sweep") return sweep_;
    if (name == "report") return report_;
    if (name == kManCommand) {
      return Text{lists_pages_ ? fmt::format("{}\n", fmt::join(manual_topics(app_), "\n")) : manual_page(app_)};
    }
    // `where` is not the bare name, because there is also an option --plugin.
    throw UsageError({.where = "portatune " + name, .given = "no command", .fix = advice(chosen())});
  }

  CLI::App app_{"Portatune fine-tunes pretrained transformers.", "portatune"};
  bool version_ = false;
  std::map<std::string, std::string> places_;  // RecipeWords::places of the parsed words
  FitArguments fit_;
  EvaluateArguments evaluate_;
  PredictArguments predict_;
  GenerateArguments generate_;
  TokenizeArguments tokenize_;
  TokenizerTrainArguments tokenizer_train_;
  GrowArguments grow_;
  MergeArguments merge_;
  TfrecordWriteArguments tfrecord_write_;
  TfrecordInspectArguments tfrecord_inspect_;
  TfrecordIndexArguments tfrecord_index_;
  DevicesArguments devices_;
  DoctorArguments doctor_;
  PluginListArguments plugin_list_;
  PluginInstallArguments plugin_install_;
  RecipesArguments recipes_;
  std::string shell_;  // the argument of `completion`
  DownloadArguments download_;
  CacheListArguments cache_list_;
  CacheRemoveArguments cache_remove_;
  BenchArguments bench_;
  BenchInputArguments bench_input_;
  PlanArguments plan_;
  ParityArguments parity_;
  SweepArguments sweep_;
  ReportArguments report_;
  RunScriptArguments run_script_;
  bool lists_pages_ = false;  // the option of `man`
};

// The settings of a command that uses those in the folder of its model; none for other commands.
std::optional<Recipe> settings_of(const Command& command) {
  if (const auto* a = std::get_if<EvaluateArguments>(&command)) return read_settings(a->model, a->adapters);
  if (const auto* a = std::get_if<PredictArguments>(&command)) return read_settings(a->model, a->adapters);
  return std::nullopt;
}

}  // namespace

std::string as_option(const std::string& name) {
  const std::string option = with_hyphens("--" + name);
  return Parser().has(option) ? option : name;
}

std::string own_name(const std::string& command, const std::string& option) {
  return Parser().own_name(command, option);
}

Command parse(const std::vector<std::string>& words) {
  if (words.empty()) return Parser().parse({"--help"});
  Parser parser;
  Command command = parser.parse(words);
  const std::optional<Recipe> settings = settings_of(command);
  if (!settings) return parser.or_config(std::move(command));
  Parser with_settings;
  command = with_settings.parse(words, &*settings);
  return with_settings.or_config(std::move(command));
}

}  // namespace portatune::cli
