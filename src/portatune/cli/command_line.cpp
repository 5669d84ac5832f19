#include "portatune/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "portatune/base/message.h"
#include "portatune/base/nearest.h"
#include "portatune/cli/help.h"
#include "portatune/cli/options.h"
#include "portatune/cli/recipe_words.h"
#include "portatune/error.h"

namespace portatune::cli {
namespace {

constexpr const char* kExamples =
    "  portatune fit --model bert --train train.csv --validation dev.csv --output tuned\n"
    "  portatune predict --model tuned --data new.csv --output predictions.jsonl\n";

constexpr const char* kFitExamples =
    "  portatune fit --model bert --train train.csv --validation dev.csv --output tuned\n"
    "  portatune fit --model bert --train pairs.tsv --text-column question --text-pair-column answer \\\n"
    "      --label-column good --head sigmoid --epochs 2 --learning-rate 3e-5 --output tuned\n"
    "  Names of transformers' TrainingArguments work too: --num-train-epochs, --output_dir, ...\n";

constexpr const char* kEvaluateExamples =
    "  portatune evaluate --model tuned --data test.csv\n"
    "  portatune evaluate --model tuned --data test.csv --json\n";

constexpr const char* kPredictExamples =
    "  portatune predict --model tuned --data new.csv --output predictions.jsonl\n"
    "  portatune predict --model tuned --data new.jsonl | head -1\n"
    "  {\"label\":\"1\",\"score\":0.93,\"scores\":{\"0\":0.07,\"1\":0.93},\"logits\":[-1.2,1.4]}\n";

constexpr const char* kGenerateExamples =
    "  portatune generate --model gpt2 --prompt \"The weather today\" --max-new-tokens 50\n"
    "  portatune generate --model qwen --chat --system \"Be terse.\" --prompt \"Where is Bonn?\"\n"
    "  portatune generate --model gpt2 --input prompts.txt --output completions.jsonl --do-sample --top-p 0.9\n"
    "  {\"prompt\":\"The weather\",\"completion\":\" is fine.\",\"tokens\":4,\"finish_reason\":\"stop\"}\n";

constexpr const char* kTokenizeExamples =
    "  portatune tokenize --tokenizer bert --input new.jsonl --output ids.jsonl\n"
    "  portatune tokenize --tokenizer bert --input pairs.csv --text-column question --text-pair-column answer | head -1\n"
    "  {\"ids\":[101,7592,102,2088,102],\"offsets\":[[0,0],[0,5],[0,0],[0,5],[0,0]]}\n"
    "  Offsets count Unicode characters; [0,0] stands for what is not in the text.\n";

constexpr const char* kTfrecordExamples =
    "  portatune tfrecord write --input train.csv --output train.tfrecord\n"
    "  portatune tfrecord inspect train.tfrecord --verify\n";

constexpr const char* kTfrecordWriteExamples =
    "  portatune tfrecord write --input train.csv --int64-columns label --tokenizer bert --max-length 128 \\\n"
    "      --output 'train-{shard:05d}-of-{shards:05d}.tfrecord' --shards 8\n"
    "  portatune tfrecord write --input photos/train --output photos.tfrecord\n";

constexpr const char* kTfrecordInspectExamples =
    "  portatune tfrecord inspect train.tfrecord\n"
    "  portatune tfrecord inspect train-*.tfrecord --verify --json\n"
    "  Exit code 65 if a file is damaged.\n";

constexpr const char* kTfrecordIndexExamples =
    "  portatune tfrecord index train-*.tfrecord\n"
    "  Writes FILE.index beside each: exact counts, and reading in any order.\n";

constexpr const char* kDevicesExamples =
    "  portatune devices\n"
    "  portatune devices --plugin ./xla_cpu_pjrt.so --json\n";

constexpr const char* kPluginExamples =
    "  portatune plugin list\n"
    "  portatune plugin install cuda13\n";

constexpr const char* kPluginListExamples =
    "  portatune plugin list\n"
    "  portatune plugin list --json\n";

constexpr const char* kPluginInstallExamples =
    "  portatune plugin install cuda13     drivers of version 580 or later\n"
    "  portatune plugin install cuda12     drivers of version 525 or later\n"
    "  portatune plugin install tpu\n"
    "  Each file is checked by its SHA-256. ~/.netrc has credentials of an index; HTTPS_PROXY, SSL_CERT_FILE are "
    "heeded.\n";

constexpr const char* kBenchExamples =
    "  portatune bench --model bert --batch-size 16 --max-length 128 --dtype bfloat16 --steps 20\n"
    "  {\"step_seconds\":[0.92,...],\"compile_seconds\":11.2,\"from_cache\":false}\n";

constexpr const char* kBenchInputExamples =
    "  portatune bench-input --model bert --train train.csv --padding auto=4\n"
    "  portatune bench-input --model bert --recipe glue/cola --train train.tsv --json\n";

constexpr const char* kPlanExamples =
    "  portatune plan --on tpu:v5e,cuda:l4,cpu --model bert --train train.csv --batch-size 64 --dtype bfloat16\n"
    "  portatune plan --on cuda:l4 --model bert --batch-size 64 --max-length 128\n"
    "  portatune plan --on cuda:a100-40gb --recipe glue/cola --model bert --train train.tsv --largest-batch\n"
    "  Takes the options of fit; writes nothing but --save. Figures of time are estimates (docs/PLAN.md).\n"
    "  Exit code 0 also where a run does not fit: the table says so. 69 if no target can be compiled for; 1 if "
    "nothing\n"
    "  can be saved.\n";

constexpr const char* kParityExamples =
    "  portatune parity --case case\n"
    "  A case is made by tools/make_reference.py --model bert --architecture BertForMaskedLM --output case\n"
    "  portatune parity --against no-kernels --model bert --train train.csv --steps 20\n"
    "  portatune parity --device cpu --against cuda,bfloat16 --recipe glue/cola --model bert --train train.tsv\n"
    "  Exit code 1 if something disagrees (docs/parity.md).\n";

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

bool has_option(const CLI::App& app, const std::string& option) {
  if (app.get_option_no_throw(option) != nullptr) return true;
  return std::ranges::any_of(commands_of(app), [&](const CLI::App* command) { return has_option(*command, option); });
}

std::vector<std::string> names_in(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The values of an option in words that are not parsed yet.
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

// The program, one App for each command, and where their options end up.
class Parser {
 public:
  Parser() {
    app_.footer(kExamples);
    app_.set_help_flag();
    app_.add_flag("-h,--help", help_, "this text, or that of a command")->group("Options");
    app_.add_flag("--version", version_, "the version")->group("Options");
    add("fit", "Fine-tunes a model on rows of a table or lines of text.", kFitExamples, fit_);
    add("evaluate", "Measures a model on rows of a table or lines of text.", kEvaluateExamples, evaluate_);
    add("predict", "Predicts for rows of a table or lines of text.", kPredictExamples, predict_);
    add("generate", "Goes on with prompts.", kGenerateExamples, generate_);
    add("tokenize", "Turns texts into token ids and offsets.", kTokenizeExamples, tokenize_);
    CLI::App& tfrecord =
        add_group("tfrecord", "Writes and looks into TFRecord files, as TensorFlow has them.", kTfrecordExamples);
    add("write", "Writes rows of tables or images as tf.train.Example.", kTfrecordWriteExamples, tfrecord_write_,
        tfrecord);
    add("inspect", "Shows features, counts and first records, and what is damaged.", kTfrecordInspectExamples,
        tfrecord_inspect_, tfrecord);
    add("index", "Writes indexes of files that others wrote.", kTfrecordIndexExamples, tfrecord_index_, tfrecord);
    add("devices", "Shows the plugin, its devices and the kernels.", kDevicesExamples, devices_);
    CLI::App& plugin =
        add_group("plugin", "Fetches the XLA plugins that run programs on GPUs and TPUs.", kPluginExamples);
    add("list", "Shows which plugins there are, and which are installed.", kPluginListExamples, plugin_list_, plugin);
    add("install", "Fetches a plugin and what it needs into the user's cache.", kPluginInstallExamples, plugin_install_,
        plugin);
    add("bench", "Times training steps on random tokens.", kBenchExamples, bench_);
    add("bench-input", "Times what makes batches of rows, without a device.", kBenchInputExamples, bench_input_);
    add("plan", "Compiles a training run for devices that are not there: does it fit, how fast is it.", kPlanExamples,
        plan_);
    add("parity", "Compares a model with what transformers computed for it, or a training run on two settings.",
        kParityExamples, parity_);
  }

  Command parse(const std::vector<std::string>& words) {
    const RecipeWords recipe = recipe_words(words);
    std::vector<std::string> reversed(recipe.words.rbegin(), recipe.words.rend());  // as CLI11 wants them
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
      const bool is_empty = word->starts_with("--") && word->find('=') + 1 == word->size();
      if (is_empty) reversed.emplace_back();  // CLI11 takes "--x=" for an option whose value comes next
      reversed.push_back(with_hyphens(is_empty ? word->substr(0, word->size() - 1) : *word));
    }
    try {
      app_.parse(reversed);
    } catch (const CLI::ParseError& error) {
      if (help_) return Text{help(chosen())};
      reject_unknown();
      throw UsageError({.where = place_of(error, recipe), .given = error.what(), .fix = advice(chosen())});
    }
    if (help_) return Text{help(chosen())};
    if (version_) return Text{"portatune " PORTATUNE_VERSION "\n"};
    fit_.words = words;
    fit_.values = values();
    for (ModelArguments* model : {&fit_.model, &evaluate_.model, &predict_.model, &bench_input_.fit.model,
                                  &plan_.fit.model, &parity_.fit.model}) {
      model->given = given(recipe);
    }
    return command();
  }

  /// Whether one of the commands has this option.
  bool has(const std::string& option) const { return has_option(app_, option); }

 private:
  // Help is given whatever the recipe is.
  RecipeWords recipe_words(const std::vector<std::string>& words) const {
    const std::vector<std::string> names = values_of(kRecipeOption, words);
    const bool asks_for_help = std::ranges::count(words, "--help") + std::ranges::count(words, "-h") > 0;
    if (names.empty() || asks_for_help) return {};
    if (names.size() > 1) throw UsageError({.where = kRecipeOption, .given = list_of(names), .expected = "one recipe"});
    const std::vector<const CLI::App*> commands = commands_of(app_);
    const auto command = std::ranges::find(commands, words.front(), &CLI::App::get_name);
    if (command == commands.end() || (*command)->get_option_no_throw(kRecipeOption) == nullptr) return {};
    return words_of(read_recipe(names.front()), **command, words,
                    [this](const std::string& option) { return has(option); });
  }

  // The options of the chosen command that were given.
  std::vector<GivenOption> given(const RecipeWords& recipe) const {
    std::vector<GivenOption> options;
    for (const CLI::Option* option : chosen().get_options([](const CLI::Option* o) { return o->count() > 0; })) {
      const auto place = recipe.places.find(option->get_name());
      options.push_back({option->get_name(), place == recipe.places.end() ? chosen().get_name() : place->second});
    }
    return options;
  }

  // Of the options of the chosen command, without what may differ between machines, and how much it tells.
  std::vector<std::pair<std::string, std::string>> values() const {
    std::vector<std::pair<std::string, std::string>> values;
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
  // Of commands: their names begin with its name.
  CLI::App& add_group(const char* name, const char* description, const char* examples) {
    CLI::App& group = *app_.add_subcommand(name, description);
    add_texts(group, examples);
    return group;
  }
  void add_texts(CLI::App& command, const char* examples) {
    command.footer(examples);
    command.set_help_flag();
    command.add_flag("-h,--help", help_)->group("");  // not shown: whoever reads it has found it
  }

  const CLI::App& chosen() const {
    const CLI::App* app = &app_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    return *app;
  }

  // "fit", "tfrecord write".
  static std::string name_of(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    const bool has_group = parent != nullptr && parent->get_parent() != nullptr;
    return has_group ? name_of(*parent) + " " + command.get_name() : command.get_name();
  }

  std::string place_of(const CLI::App& app) const { return &app == &app_ ? "command line" : name_of(app); }

  // The line of the recipe that CLI11 objects to, as its messages begin with the option.
  std::string place_of(const CLI::ParseError& error, const RecipeWords& recipe) const {
    for (const auto& [option, place] : recipe.places) {
      if (std::string_view(error.what()).starts_with(option + ":")) return place;
    }
    return place_of(chosen());
  }

  std::string advice(const CLI::App& app) const {
    return &app == &app_ ? "see portatune --help" : "see portatune " + name_of(app) + " --help";
  }

  // Before anything that is missing: what is missing may be there with a typo.
  void reject_unknown() const {
    const std::vector<std::string> unknown = app_.remaining(true);
    if (unknown.empty()) return;
    const bool option = unknown.front().starts_with("-");
    const std::string kind = option ? "option" : commands_of(chosen()).empty() ? "argument" : "command";
    const std::string meant = nearest(unknown.front().substr(0, unknown.front().find('=')), names_in(chosen()));
    throw UsageError({.where = place_of(chosen()),
                      .given = "unknown " + kind + " " + unknown.front(),
                      .fix = meant.empty() ? advice(chosen()) : "did you mean " + meant + "?"});
  }

  Command command() const {
    const std::string name = name_of(chosen());
    if (name == "fit") return fit_;
    if (name == "evaluate") return evaluate_;
    if (name == "predict") return predict_;
    if (name == "generate") return generate_;
    if (name == "tokenize") return tokenize_;
    if (name == "tfrecord write") return tfrecord_write_;
    if (name == "tfrecord inspect") return tfrecord_inspect_;
    if (name == "tfrecord index") return tfrecord_index_;
    if (name == "devices") return devices_;
    if (name == "plugin list") return plugin_list_;
    if (name == "plugin install") return plugin_install_;
    if (name == "bench") return bench_;
    if (name == "bench-input") return bench_input_;
    if (name == "plan") return plan_;
    if (name == "parity") return parity_;
    // Not the bare name: there is an option --plugin, too.
    throw UsageError({.where = "portatune " + name, .given = "no command", .fix = advice(chosen())});
  }

  CLI::App app_{"Portatune fine-tunes pretrained transformers.", "portatune"};
  bool help_ = false, version_ = false;
  FitArguments fit_;
  EvaluateArguments evaluate_;
  PredictArguments predict_;
  GenerateArguments generate_;
  TokenizeArguments tokenize_;
  TfrecordWriteArguments tfrecord_write_;
  TfrecordInspectArguments tfrecord_inspect_;
  TfrecordIndexArguments tfrecord_index_;
  DevicesArguments devices_;
  PluginListArguments plugin_list_;
  PluginInstallArguments plugin_install_;
  BenchArguments bench_;
  BenchInputArguments bench_input_;
  PlanArguments plan_;
  ParityArguments parity_;
};

}  // namespace

std::string with_hyphens(std::string word) {
  if (!word.starts_with("--")) return word;
  std::replace(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(std::min(word.find('='), word.size())), '_',
               '-');
  return word;
}

std::string as_option(const std::string& name) {
  const std::string option = with_hyphens("--" + name);
  return Parser().has(option) ? option : name;
}

Command parse(const std::vector<std::string>& words) {
  if (words.empty()) return Parser().parse({"--help"});
  return Parser().parse(words);
}

}  // namespace portatune::cli
