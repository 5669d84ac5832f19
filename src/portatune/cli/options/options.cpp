#include "portatune/cli/options/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <utility>

#include "portatune/base/text/message.h"
#include "portatune/cli/options/bad_rows.h"
#include "portatune/cli/options/described_options.h"
#include "portatune/cli/options/names/other_names.h"
#include "portatune/cli/options/option_group.h"
#include "portatune/cli/options/recipes/printed_config.h"
#include "portatune/cli/options/recipes/recipe_words.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/hub/hub_name.h"
#include "portatune/run/inputs/batches/padding.h"
#include "portatune/run/options/run_options.h"
#include "portatune/sources.h"
#include "portatune/tasks/registry.h"
#include "portatune/tasks/text_classification.h"

namespace portatune::cli {
namespace {

using run::kRowFiles;

void add_model_folder(Group group, run::ModelOptions& model) {
  group.path("--model,--model-name-or-path", model.folder, "folder of a model, or its name on the Hugging Face Hub")
      ->required();
}

// tasks  those that the help names; other tasks are refused later, with the reason
void add_model(Group group, run::ModelOptions& model, const std::vector<std::string>& tasks) {
  add_model_folder(group, model);
  group
      .choice(
          "--task", tasks::task_names(), [&](const std::string& task) { model.task = task; },
          fmt::format("{}", fmt::join(tasks, ", ")), task_instead_of)
      ->type_name("NAME")
      ->default_str(model.task.empty() ? "the model's" : model.task);
}

// The name of an adapter, if it is not given: that of its folder.
run::NamedAdapter adapter_in(const std::string& word) {
  const size_t equals = word.find('=');
  const bool has_name = equals != std::string::npos && io::is_word(word.substr(0, equals));
  if (has_name) return {.name = word.substr(0, equals), .folder = word.substr(equals + 1)};
  return {.name = (std::filesystem::path(word) / "").parent_path().filename().string(), .folder = word};
}

// Returns whether a word is a value of fit's --adapter, which a recipe for several commands may have.
bool is_method(const std::string& word) {
  run::RunOptions options;
  const OptionField adapter = only(fields_of(options), {"adapter"}).front();
  return std::ranges::find(adapter.rules.choices, word, &OptionChoice::word) != adapter.rules.choices.end();
}

void add_adapters(Group group, std::vector<run::NamedAdapter>& adapters) {
  const auto take = [&adapters](const std::string& word) {
    if (is_method(word) && !hub::is_adapter(word)) return;
    run::NamedAdapter adapter = adapter_in(word);
    if (std::ranges::find(adapters, adapter.name, &run::NamedAdapter::name) != adapters.end()) {
      throw UsageError({.where = "--adapter",
                        .given = "two adapters " + in_quotes(adapter.name),
                        .expected = "a name for each: --adapter NAME=FOLDER"});
    }
    adapters.push_back(std::move(adapter));
  };
  group.each_text("--adapter", take, "folder of an adapter for --model, or NAME=FOLDER; may be given several times")
      ->type_name("FOLDER")
      ->default_str("none");
}

// The parser reads these options itself: see Parser.
void add_recipe(Group group) {
  group.read_elsewhere(kRecipeOption, "YAML file of options, or a name: glue/cola")->default_str("none");
  group.switch_on(
      kPrintConfig, [] {}, "print the options as a recipe, with the origin of each, and run nothing");
}

void add_first_rows(Group group, const std::string& name, int64_t& rows, const std::string& help) {
  group.number(name, rows, help, {.lowest = 1})->default_str("all rows");
}

void add_delimiter(Group& group, std::optional<char>& delimiter) {
  const auto is_character = [](const std::string& text) { return text == "\\t" || (text.size() == 1 && text != "\""); };
  const auto take = [&delimiter](const std::string& text) { delimiter = text == "\\t" ? '\t' : text.front(); };
  group
      .checked("--delimiter", "CHAR", is_character, "one character, or \\t for a tab", take,
               "between the fields of .csv and .tsv: ';', '\\t', '|'")
      ->default_str("a comma, or a tab in .tsv");
}

void add_table(Group group, run::ModelOptions& model) {
  data::TableOptions& table = model.table;
  group.names("--column-names", table.names, "columns of .csv, .tsv without a header")->default_str("the first line");
  add_delimiter(group, table.delimiter);
  group.assignments("--rename-columns", table.rename, "rename columns: OLD=NEW")->default_str("none");
  add_bad_rows(group, model.bad_rows);
}

// Options of files that commands read once. Standard input may be one of these files.
CLI::Option* add_data(Group group, const std::string& names, std::vector<std::string>& files, const std::string& help) {
  const auto path_of = [](const std::string& word) { return word == "-" ? std::string("/dev/stdin") : word; };
  return group.files(names, files, help + "; - is standard input")->transform(path_of);
}

// Refuses standard input for files that training reads several times.
void refuse_standard_input(CLI::App& command, const std::string& option) {
  const auto check = [option](const std::string& word) {
    if (word != "-" && word != "/dev/stdin") return std::string();
    throw UsageError({.where = option,
                      .given = option + " " + word,
                      .expected = "files, each of which is read several times",
                      .fix = "save standard input to a file first"});
  };
  command.get_option(option)->check(check, "");
}

void add_format(Group group, data::TableOptions& table) {
  group
      .choice(
          "--format", {"csv", "tsv", "jsonl", "txt"}, [&](const std::string& name) { table.format = name; },
          "what the files are, in place of their names; needed for standard input and pipes")
      ->type_name("NAME")
      ->default_str("by their names");
}

void add_chat_template(Group& group, std::filesystem::path& file, std::string& variables) {
  group.path("--chat-template", file, "a template's file")->default_str("the model's");
  group.text("--chat-template-kwargs", variables, "its variables, as JSON: {\"enable_thinking\": false}")
      ->default_str("none");
}

void add_padding(Group group, std::optional<run::Padding>& padding) {
  group
      .checked(
          "--padding", "POLICY", [](const std::string& text) { return run::padding_called(text).has_value(); },
          run::kPaddingWords, [&](const std::string& text) { padding = run::padding_called(text); },
          "lengths of batches: auto, auto=4, max_length, multiple_of=16, buckets=32,64")
      ->default_str("auto");
}

// The values given here override those of the model folder, which is not read yet.
void add_generation(CLI::App& command, GenerateArguments& a) {
  std::vector<OptionField> fields = fields_of(a.defaults);
  for (OptionField& field : fields) {
    field.set = [&a, name = field.name](const std::vector<std::string>& texts) { a.generation[name] = texts; };
  }
  add_fields(command, fields, "Generation (defaults are generation_config.json's)");
}

void add_dtype(CLI::App& command, DType& dtype, const std::string& help = "type of activations; weights stay float32") {
  OptionFields fields;
  fields("dtype", dtype, help);
  add_fields(command, std::move(fields).fields(), "Device");
}

void add_device(CLI::App& command, DeviceOptions& device) {
  const auto as_cuda = [](const std::string& name) {
    return name == "gpu" || name.starts_with("gpu:") ? "cuda" + name.substr(3) : name;
  };
  add_fields(command, without(fields_of(device), "mesh"));
  command.get_option("--device")->transform(as_cuda, "");
}

void add_mesh(CLI::App& command, DeviceOptions& device) { add_fields(command, only(fields_of(device), {"mesh"})); }

std::vector<OptionField> hang_timeout_field(HangTimeout& timeout_s) {
  OptionFields fields;
  fields.group("Output");
  fields("hang_timeout", timeout_s, "seconds without a step, batch or exchange after which the command ends; 0: none",
         {.highest = 1e6, .decides = false, .default_help = "0; 1800 with several processes"});
  return std::move(fields).fields();
}

void add_batch_size(Group group, int64_t& size) {
  group.number("--batch-size,--per-device-eval-batch-size", size, "rows at a time, on each device",
               {.lowest = 1, .highest = 1e6});
}

bool is_among(const std::vector<OptionField>& fields, const std::string& option) {
  return std::ranges::any_of(fields, [&](const OptionField& field) { return as_option_name(field.name) == option; });
}

// The field with another help text than in fit.
OptionField with_help(OptionField field, const std::string& help) {
  field.help = help;
  return field;
}

// The options of a training run in the order of the help: RunOptions and its parts.
std::vector<OptionField> run_fields(FitArguments& a) {
  std::vector<OptionField> fields;
  for (const std::vector<OptionField>& part :
       {fields_of<run::RunOptions>(a), fields_of(a.training), fields_of(a.lora), fields_of(a.best_model)}) {
    fields.insert(fields.end(), part.begin(), part.end());
  }
  return fields;
}

void add_run(CLI::App& command, FitArguments& a) {
  add_fields(command, run_fields(a));
  for (const char* files : {"--train", "--validation", "--test"}) refuse_standard_input(command, files);
  CLI::Option* newest = command.get_option("--resume");
  for (const char* other : {"--overwrite-output", "--resume-from-checkpoint"}) {
    command.get_option(other)->excludes(newest);
  }
}

// Options of tasks, up to those with this use.
void add_task_options(CLI::App& command, run::ModelOptions& model, OptionUse last) {
  std::vector<OptionField> fields = tasks::option_fields(model.options);
  const std::set<std::string> of_predict = tasks::prediction_options();
  std::erase_if(fields, [&](const OptionField& field) {
    return field.rules.use > last || (last > OptionUse::kRows && of_predict.contains(field.name));
  });
  for (const OptionField& field : fields) {
    if (command.get_option_no_throw(as_option_name(field.name)) == nullptr) continue;
    throw UsageError({.where = "tasks of this program",
                      .given = "an option " + in_quotes(field.name) + " of a task, which every run has",
                      .expected = "another name for the option"});
  }
  add_fields(command, fields);
}

// The options of a training run, which several commands have.
void add_run_options(CLI::App& command, FitArguments& a) {
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, a.model, tasks::trained_task_names());
  add_run(command, a);
  add_table(data, a.model);
  add_task_options(command, a.model, OptionUse::kTraining);
  add_padding(Group(command, "Training"), a.model.padding);
  add_fields(command, hang_timeout_field(a.hang_timeout_s));
  add_fields(command, fields_of(a.reporting));
  add_device(command, a.device);
  add_mesh(command, a.device);
}

}  // namespace

std::vector<OptionField> described_options(FitArguments& a) {
  std::vector<OptionField> fields = run_fields(a);
  for (const std::vector<OptionField>& part : {tasks::option_fields(a.model.options), fields_of(a.device),
                                               hang_timeout_field(a.hang_timeout_s), fields_of(a.reporting)}) {
    fields.insert(fields.end(), part.begin(), part.end());
  }
  return fields;
}

void add_reporting(CLI::App& command, Reporting& reporting, const std::vector<std::string>& names,
                   const std::string& group) {
  add_fields(command, only(fields_of(reporting), names), group);
}

bool is_of_report(const std::string& option) {
  Reporting reporting;
  return is_among(fields_of(reporting), option);
}

bool is_of_device(const std::string& option) {
  DeviceOptions device;
  return is_among(fields_of(device), option);
}

void add_options(CLI::App& command, FitArguments& a) {
  add_run_options(command, a);
  Group(command, "Training")
      .path("--grow", a.grow, "YAML file with a list of stages: sizes of the model, and options of its training")
      ->default_str("one stage");
}

void add_options(CLI::App& command, EvaluateArguments& a) {
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, a.model, tasks::trained_task_names());
  add_adapters(data, a.adapters);
  add_data(data, "--data,--validation-file", a.data, std::string(kRowFiles) + "; NAME=FILE: sets")->required();
  add_format(data, a.model.table);
  add_table(data, a.model);
  add_first_rows(data, "--max-eval-samples", a.max_eval_samples, "measure the first rows of each set only");
  add_padding(data, a.model.padding);
  add_batch_size(data, a.batch_size);
  add_task_options(command, a.model, OptionUse::kLabels);
  add_fields(command, hang_timeout_field(a.hang_timeout_s));
  add_fields(command, fields_of(a.reporting));
  add_dtype(command, a.dtype);
  add_device(command, a.device);
  add_mesh(command, a.device);
}

void add_options(CLI::App& command, PredictArguments& a) {
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, a.model, tasks::task_names());
  add_adapters(data, a.adapters);
  CLI::Option* files = add_data(data, "--data,--test-file", a.data, std::string(kRowFiles) + "; labels are not read");
  CLI::Option* texts =
      data.texts("--text", a.texts, "a text to predict in place of files; may be given several times")->excludes(files);
  add_format(data, a.model.table);
  add_table(data, a.model);
  add_first_rows(data, "--max-predict-samples", a.max_predict_samples, "predict the first rows only");
  add_padding(data, a.model.padding);
  add_batch_size(data, a.batch_size);
  add_task_options(command, a.model, OptionUse::kRows);
  Group output(command, "Output");
  output
      .path("--output", a.output,
            "NAME.csv or .tsv: a table; any other name: a JSON object a line (answers: NAME.json is {id: text}); - is "
            "stdout")
      ->default_str("-");
  output.names("--keep-columns", a.model.table.extra_columns, "columns of the rows that the predictions repeat")
      ->default_str("none")
      ->excludes(texts);
  add_fields(command, hang_timeout_field(a.hang_timeout_s));
  add_reporting(command, a.reporting, {"quiet", "disable_progress"});
  add_dtype(command, a.dtype);
  add_device(command, a.device);
  add_mesh(command, a.device);
}

void add_options(CLI::App& command, GenerateArguments& a) {
  Group data(command, "Prompts");
  data.path("--model,--model-name-or-path", a.model, "folder of a model, or its name on the Hugging Face Hub")
      ->required();
  add_adapters(data, a.adapters);
  data.texts("--prompt", a.prompts, "a text to continue; may be given several times");
  data.files("--input", a.input, "prompts: .txt, a line each; .csv, .tsv, .jsonl");
  data.text("--text-column", a.text_column, "column of the prompt");
  data.number("--batch-size", a.batch_size, "prompts at a time, on each device", {.lowest = 1, .highest = 1024});
  Group chat(command, "Chat");
  chat.flag("--chat", a.chat, "prompts are a user's messages, by the model's chat template");
  chat.text("--system", a.system, "the message before the user's")->default_str("none");
  chat.text("--messages-column", a.messages_column, "column of conversations in --input; .txt: a message a line");
  add_chat_template(chat, a.chat_template, a.chat_variables);
  add_generation(command, a);
  Group(command, "Output").path("--output", a.output, "a JSON object a prompt; - is stdout")->default_str("-");
  add_fields(command, hang_timeout_field(a.hang_timeout_s));
  const std::vector<OptionField> report = fields_of(a.reporting);
  add_fields(command, {with_help(only(report, {"json"}).front(),
                                 "a line of JSON for each prompt, also where there is only one")});
  add_reporting(command, a.reporting, {"quiet"});
  add_dtype(command, a.dtype, "type of matrices, activations and the cache");
  add_device(command, a.device);
  add_mesh(command, a.device);
}

void add_options(CLI::App& command, TokenizeArguments& a) {
  Group data(command, "Data");
  data.path("--tokenizer", a.tokenizer, "folder with tokenizer.json or older files of a tokenizer")->required();
  data.files("--input", a.input, "rows: .csv, .tsv, .jsonl")->required();
  data.text("--text-column", a.text_column, "column of the text");
  data.text("--text-pair-column", a.text_pair_column, "column of a second text")
      ->default_str("text_pair, where a row has one");
  data.number("--max-length", a.max_length, "tokens of a row; longer texts are cut", {.lowest = 1})
      ->default_str("no limit");
  data.no_flag("--no-special-tokens", a.add_special_tokens, "without [CLS], </s> and the like");
  Group(command, "Output").path("--output", a.output, "a JSON object an example; - is stdout")->default_str("-");
  add_reporting(command, a.reporting, {"quiet", "disable_progress"});
}

void add_options(CLI::App& command, TokenizerTrainArguments& a) {
  Group data(command, "Data");
  data.files("files", a.files, "rows: .txt, a text each line; .csv, .tsv, .jsonl, .parquet, ...")->required();
  data.text("--text-column", a.text_column, "column of the text");
  add_fields(command, fields_of(a.training));
  Group(command, "Output").path("--output", a.output, "a new folder, or an empty one")->required();
  add_reporting(command, a.reporting);
}

void add_options(CLI::App& command, DevicesArguments& a) {
  add_reporting(command, a.reporting);
  add_device(command, a.device);
}

void add_options(CLI::App& command, BenchArguments& a) {
  Group size(command, "Size");
  add_recipe(size);
  add_model_folder(size, a.run.model);
  const std::vector<OptionField> training = fields_of(a.run.training);
  add_fields(command,
             {with_help(only(training, {"from_config"}).front(), "random weights, those of --model are not read")},
             "Size");
  size.number("--batch-size", a.batch_size, "rows of a step, on each device", {.lowest = 1, .highest = 1e6});
  add_fields(
      command,
      {with_help(only(training, {"gradient_accumulation_steps"}).front(), "batches of --batch-size rows in each step")},
      "Size");
  auto& options = a.run.model.options.of<TextClassificationRunOptions>();
  add_fields(command, only(fields_of(options), {"max_length"}), "Size");
  size.number("--steps", a.steps, "steps to time", {.lowest = 1});
  size.number("--warmup", a.warmup, "steps before them");
  add_fields(command, only(training, {"dtype", "remat"}), "Size");
  add_fields(command, only(fields_of(a.run), {"adapter"}));
  add_fields(command, fields_of(a.run.lora));
  add_device(command, a.run.device);
  add_mesh(command, a.run.device);
}

void add_options(CLI::App& command, BenchInputArguments& a) {
  FitArguments& fit = a.fit;
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, fit.model, tasks::trained_task_names());
  const std::vector<OptionField> run = fields_of<run::RunOptions>(fit);
  add_fields(command, only(run, {"train"}));
  refuse_standard_input(command, "--train");
  add_table(data, fit.model);
  Group batches(command, "Batches");
  add_fields(command, {with_help(only(run, {"batch_size"}).front(), "rows of a batch")}, "Batches");
  add_padding(batches, fit.model.padding);
  add_fields(command, only(run, {"packing", "tokens_per_batch", "shuffle_buffer"}), "Batches");
  add_fields(command, {with_help(only(fields_of(fit.training), {"seed"}).front(), "seed of the order of the rows")},
             "Batches");
  add_task_options(command, fit.model, OptionUse::kTraining);
  Group(command, "Output")
      .number("--seconds", a.seconds, "for how long; at least one pass over the rows", {.highest = 1e6});
  add_reporting(command, fit.reporting);
}

void add_options(CLI::App& command, PlanArguments& a) {
  Group plan(command, "Plan");
  plan.names("--on", a.on,
             "targets: cpu, tpu:v5e-8, cuda:h100x8, ...; one device of each is planned, alone or in --mesh")
      ->required();
  plan.path("--save", a.save, "a new folder for the compiled programs, for fit --compiled on that device")
      ->default_str("none");
  plan.flag("--largest-batch", a.largest_batch, "look for the largest batch that fits, by up to 12 compilations");
  OptionFields fields;
  fields("time_limit", a.time_limit, "seconds for each target; what is known by then is shown; 0: no limit",
         {.highest = 1e6, .default_help = "600; none with --save"});
  add_fields(command, std::move(fields).fields(), "Plan");
  add_run_options(command, a.fit);
  command.get_option("--train")->required(false)->default_str("none: one shape of batches is planned");
  command.get_option("--output")->required(false)->default_str("not used");
}

void add_options(CLI::App& command, SweepArguments& a) {
  Group sweep(command, "Sweep, over the options of fit");
  sweep
      .assignments("--grid", a.grid,
                   "values of options: learning-rate=1e-5,3e-5; all combinations are tried. A range for --random: "
                   "learning-rate=1e-5..1e-4")
      ->default_str("none");
  sweep.number("--seeds", a.seeds, "trials of each configuration, with --seed and the numbers after it",
               {.lowest = 1, .highest = 1000});
  sweep
      .number("--random", a.random, "number of random configurations, in place of all combinations",
              {.lowest = 1, .highest = 1000})
      ->default_str("none");
  sweep.flag("--halving", a.halving, "end the worse configurations early (successive halving)");
  sweep.number("--halving-factor", a.halving_factor, "one in N configurations continues",
               {.lowest = 2, .highest = 100});
  sweep.flag("--keep-models", a.keep_models, "keep the models of all trials, not only the best");
  add_run_options(command, a.fit);
}

void add_options(CLI::App& command, ReportArguments& a) {
  Group(command, "Runs").paths("run", a.runs, "output folders of portatune fit")->required();
  Group(command, "Output").path("--output", a.output, "the page; - is stdout")->default_str(a.output.string());
}

void add_options(CLI::App& command, GrowArguments& a) {
  Group(command, "Model")
      .path("--model", a.model, "folder of the small model, or its name on the Hugging Face Hub")
      ->required();
  add_fields(command, fields_of(a.growth));
  Group(command, "Output").path("--output", a.output, "a new folder for the larger model")->required();
  add_reporting(command, a.reporting);
}

void add_options(CLI::App& command, MergeArguments& a) {
  Group group(command, "Merge");
  group.path("--model", a.model, "folder of an adapter, as fit --adapter or peft writes it")->required();
  group.path("--output", a.output, "a new folder for the model")->required();
  add_reporting(command, a.reporting, {"json", "quiet"}, "Merge");
}

void add_options(CLI::App& command, ParityArguments& a) {
  Group transformers(command, "Against transformers");
  CLI::Option* reference = transformers.path(
      "--case", a.reference, "folder of a model with what transformers computed (docs/results/parity.md)");
  transformers.path("--dump", a.dump, "a folder for what Portatune computed: new, or of an earlier dump")
      ->default_str("none");
  constexpr const char* kRunAgainstItself = "A training run against itself on another setting, with the options of fit";
  Group runs(command, kRunAgainstItself);
  runs.text("--against", a.against, "how the second run differs: no-kernels; cuda,bfloat16; data=8; tensor=2; ...")
      ->type_name("SETTING")
      ->excludes(reference);
  runs.number("--steps", a.steps, "steps of both runs; never more than fit would make", {.lowest = 1, .highest = 1e6});
  runs.number("--every", a.every, "steps between comparisons of gradients and parameters", {.lowest = 1});
  OptionFields fields;
  fields("tolerance", a.tolerance, "what is allowed: that of runs of this type",
         {.choices = {{"float32"}, {"bfloat16"}}, .default_help = "the coarser one of the runs"});
  add_fields(command, std::move(fields).fields(), kRunAgainstItself);
  add_run_options(command, a.fit);
  for (const char* option : {"--model", "--train"}) command.get_option(option)->required(false);
  command.get_option("--output")->required(false)->default_str("not used");
}

}  // namespace portatune::cli
