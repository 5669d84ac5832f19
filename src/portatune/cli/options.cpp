#include "portatune/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "portatune/base/message.h"
#include "portatune/cli/bad_rows.h"
#include "portatune/cli/described_options.h"
#include "portatune/cli/option_group.h"
#include "portatune/cli/other_names.h"
#include "portatune/cli/recipe_words.h"
#include "portatune/run/inputs/padding.h"
#include "portatune/sources.h"
#include "portatune/tasks/registry.h"
#include "portatune/text_classification.h"
#include "portatune/train/optimizers.h"
#include "portatune/train/schedule.h"

namespace portatune::cli {
namespace {

void add_model_folder(Group group, run::ModelOptions& model) {
  group.path("--model,--model-name-or-path", model.folder, "folder of a model, or its name on the Hugging Face Hub")
      ->required();
}

void add_model(Group group, run::ModelOptions& model) {
  add_model_folder(group, model);
  const std::vector<std::string> names = tasks::task_names();
  group
      .choice(
          "--task", names, [&](const std::string& task) { model.task = task; },
          fmt::format("{}", fmt::join(names, ", ")), task_instead_of)
      ->type_name("NAME")
      ->default_str(model.task.empty() ? "the model's" : model.task);
}

// The parser reads this option before all others: see Parser.
void add_recipe(Group group) {
  group.read_elsewhere(kRecipeOption, "YAML file of options, or a name: glue/cola")->default_str("none");
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

// Options of files that training reads. These files are never standard input.
CLI::Option* add_training_files(Group group, const std::string& names, std::vector<std::string>& files,
                                const std::string& help) {
  const auto check = [option = names.substr(0, names.find(','))](const std::string& word) {
    if (word != "-" && word != "/dev/stdin") return std::string();
    throw UsageError({.where = option,
                      .given = option + " " + word,
                      .expected = "files, each of which is read several times",
                      .fix = "save standard input to a file first"});
  };
  return group.files(names, files, help)->check(check, "");
}

void add_format(Group group, data::TableOptions& table) {
  group
      .choice(
          "--format", {"csv", "tsv", "jsonl", "txt"}, [&](const std::string& name) { table.format = name; },
          "what the files are, whatever their names; needed for standard input and pipes")
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

// Options of the packing of training batches.
void add_packing(Group group, FitArguments& a) {
  group
      .choice(
          "--packing", {"exact_examples", "token_budget", "none"},
          [&](const std::string& name) {
            a.packing = name == "token_budget" ? run::PackingPolicy::kTokenBudget
                        : name == "none"       ? run::PackingPolicy::kNone
                                               : run::PackingPolicy::kExactExamples;
          },
          "several texts per row: exact_examples, token_budget or none")
      ->type_name("NAME")
      ->default_str("exact_examples, unless --padding is given");
  group
      .number("--tokens-per-batch", a.tokens_per_batch, "tokens of a batch with --packing token_budget",
              {.lowest = 1, .highest = 1e9})
      ->default_str("about --batch-size examples");
}

// The values given here override those of the model folder, which is not read yet.
void add_generation(Group group, GenerateArguments& a) {
  const auto set = [&a](auto member) {
    return [&a, member](const auto& value) {
      a.settings.emplace_back([member, value](GenerationOptions& o) { o.*member = value; });
    };
  };
  using O = GenerationOptions;
  const Limits from_one{.lowest = 1}, any{.lowest = -1e6, .highest = 1e6};
  group.setting<int64_t>("--max-new-tokens", set(&O::max_new_tokens), "tokens to make at most", from_one);
  group.switch_on(
      "--do-sample", [set] { set (&O::do_sample)(true); }, "draw tokens by their probabilities");
  group.switch_on(
      "--no-do-sample", [set] { set (&O::do_sample)(false); }, "take the most probable one");
  const auto set_for_drawing = [&a, set](auto member) {
    return [&a, member, set](const auto& value) {
      a.shapes_drawing = true;
      set(member)(value);
    };
  };
  group.setting<double>("--temperature", set_for_drawing(&O::temperature), "above 1 makes drawing bolder");
  group.setting<int64_t>("--top-k", set_for_drawing(&O::top_k), "draw from the k most probable; 0: from all");
  group.setting<double>("--top-p", set_for_drawing(&O::top_p), "draw from the fewest that are so probable together",
                        {.highest = 1});
  group.setting<double>("--repetition-penalty", set(&O::repetition_penalty), "above 1: less of what was there");
  group.setting<int64_t>("--num-beams", set(&O::num_beams), "number of beams", {.lowest = 1, .highest = 64});
  group.setting<double>("--length-penalty", set(&O::length_penalty), "of beams: above 0 favours long texts", any);
  group.choice(
      "--early-stopping", {"true", "false", "never"},
      [set](const std::string& word) {
        set (&O::early_stopping)(word == "true"    ? EarlyStopping::kTrue
                                 : word == "never" ? EarlyStopping::kNever
                                                   : EarlyStopping::kFalse);
      },
      "whether a search ends as soon as enough beams have");
  group.setting<int64_t>("--eos-token-id",
                         [set](int64_t id) { set (&O::eos_token_id)(std::vector<int32_t>{static_cast<int32_t>(id)}); },
                         "the token that ends a text", {.highest = 1 << 30});
  group.each_text(
      "--stop-string",
      [&a](const std::string& text) { a.settings.emplace_back([text](O& o) { o.stop_strings.push_back(text); }); },
      "a text that ends the completion; may be given several times");
  group.setting<uint64_t>("--seed", set(&O::seed), "of drawing", {.highest = 1.8e19});
}

DType dtype_called(const std::string& name) {
  if (name == "bfloat16" || name == "bf16") return DType::kBFloat16;
  return name == "float16" || name == "fp16" ? DType::kFloat16 : DType::kFloat32;
}

void add_dtype(Group group, DType& dtype, const std::string& help = "type of activations; weights stay float32") {
  const auto take = [&](const std::string& name) { dtype = dtype_called(name); };
  group.choice("--dtype", {"float32", "bfloat16", "float16", "fp32", "bf16", "fp16"}, take, help)
      ->type_name("float32|bfloat16|float16")
      ->default_str(std::string(name_of(dtype)));
}

void add_on_non_finite(Group group, OnNonFinite& then) {
  group
      .choice(
          "--on-non-finite", {"stop", "skip", "rewind"},
          [&](const std::string& name) {
            then = name == "skip" ? OnNonFinite::kSkip : name == "rewind" ? OnNonFinite::kRewind : OnNonFinite::kStop;
          },
          "what follows a loss or gradient that is not finite: the end, with a checkpoint; the next batch; or the next "
          "batch with the weights of the last checkpoint")
      ->default_str("stop");
}

void add_skip_limits(Group group, TrainingOptions& t) {
  group.number("--max-skipped-in-a-row", t.max_skipped_in_a_row,
               "--on-non-finite skip ends the run after so many skipped steps in a row", {.lowest = 1});
  group
      .number("--max-skipped-steps", t.max_skipped_steps, "and when more than so many are skipped in all",
              {.lowest = 1})
      ->default_str("a tenth of the steps, at least 10");
}

void add_remat(Group group, Remat& remat) {
  const auto take = [&](const std::string& name) {
    remat = name == "layers" ? Remat::kLayers : name == "dots" ? Remat::kDots : Remat::kNone;
  };
  group
      .choice("--remat", {"none", "layers", "dots"}, take,
              "recompute activations to save memory; dots keeps matrix products")
      ->default_str("none");
}

void add_device(Group group, DeviceOptions& device) {
  const auto set_device = [&device](const std::string& name) {
    device.device = name.starts_with("gpu") ? "cuda" + name.substr(3) : name;
  };
  group.word("--device", set_device, "where to run: cpu, cuda, cuda:0,1, tpu", "NAME")->default_str(device.device);
  group.path("--plugin", device.plugin, "the XLA plugin's file")->default_str("looked for");
  group.no_flag("--no-kernels", device.use_kernels, "compile every part, without hand-tuned kernels");
  group.flag("--cudnn-attention", device.cudnn_attention,
             "of GPUs: attention by cuDNN, where it has it; not seen on a GPU so far");
  group.path("--cache-folder", device.cache_folder, "where compiled programs are kept")
      ->default_str("~/.cache/portatune/executables");
  group.no_flag("--no-cache", device.use_cache, "compile anew, keep nothing");
  group.path("--compiled", device.programs_folder, "programs that portatune plan --save has compiled for this device")
      ->default_str("none");
  GpuMemoryOptions& gpu = device.gpu_memory;
  group
      .setting<float>("--gpu-memory-fraction", [&gpu](float fraction) { gpu.fraction = fraction; },
                      "share of a GPU's memory that may be taken", {.highest = 1})
      ->default_str("0.75");
  group.switch_on(
      "--gpu-preallocate", [&gpu] { gpu.preallocate = true; }, "take it at the start, in one piece (default)");
  group.switch_on(
      "--no-gpu-preallocate", [&gpu] { gpu.preallocate = false; }, "take it as it is needed");
  group
      .choice(
          "--gpu-allocator", {"bfc", "cuda_async", "platform"},
          [&gpu](const std::string& name) { gpu.allocator = name; }, "GPU allocator")
      ->default_str("bfc");
}

void add_mesh(Group group, Mesh& mesh) {
  group
      .word(
          "--mesh", [&](const std::string& text) { mesh = parse_mesh(text); },
          "several devices: data=8 for data parallelism, fsdp=8 to shard weights too, tensor=2 for tensor parallelism",
          "AXIS=N,...")
      ->default_str("one device");
}

void add_talk(Group group, Talk& talk, const std::string& json_help = "the result as one JSON object") {
  group.flag("--json", talk.json, json_help);
  group.flag("-q,--quiet", talk.quiet, "only results and errors");
}

void add_progress(Group group, Talk& talk) {
  group.flag("--disable-progress,--disable-tqdm", talk.disable_progress, "plain lines in place of a bar");
}

void add_batch_size(Group group, int64_t& size) {
  group.number("--batch-size,--per-device-eval-batch-size", size, "rows at a time", {.lowest = 1, .highest = 1e6});
}

void add_cross_validation(Group group, FitArguments& a) {
  group
      .number("--folds", a.folds, "parts of the rows; each is predicted by a model trained on the others",
              {.lowest = 2, .highest = 1000})
      ->default_str("none");
  group.text("--group-column", a.group_column, "rows with the same text here stay together")->default_str("none");
  add_training_files(group, "--test,--test-file", a.test, "rows to predict by the mean of all models")
      ->default_str("none");
}

void add_shuffle_buffer(Group group, int64_t& rows) {
  group.number(
      "--shuffle-buffer", rows,
      "rows in memory, of which each next one is drawn; local TFRecords with an index and folders of images are "
      "shuffled as a whole without",
      {.lowest = 1, .highest = 1e9});
}

void add_adapter(Group group, FitArguments& a) {
  group
      .choice(
          "--adapter", {"none", "lora"}, [&a](const std::string& kind) { a.adapter = kind == "lora"; },
          "train adapters in place of the weights")
      ->type_name("none|lora")
      ->default_str("none");
  group.number("--lora-rank,--lora-r", a.lora.rank, "rank of the adapters", {.lowest = 1});
  group.number("--lora-alpha", a.lora.alpha, "adapters are scaled by alpha / rank", {.highest = 1e38});
  group.number("--lora-dropout", a.lora.dropout, "dropout of the input of adapters", {.highest = 0.999});
  group
      .names("--lora-target-modules", a.lora.target_modules, "linear layers with adapters: query,value, or all-linear")
      ->default_str("those of peft");
  group.names("--modules-to-save", a.lora.modules_to_save, "modules that are trained as a whole, beside the head")
      ->default_str("none");
  group.flag("--use-rslora", a.lora.use_rslora, "scale adapters by alpha / sqrt(rank)");
}

void add_schedule(Group group, TrainingOptions& t) {
  ScheduleOptions& o = t.schedule;
  group.number("--learning-rate", t.learning_rate, "learning rate before the schedule", {.highest = 1e38});
  group
      .choice(
          "--lr-scheduler-type", train::schedule_names(), [&t](const std::string& name) { t.lr_scheduler_type = name; },
          "learning rate over the steps")
      ->default_str(t.lr_scheduler_type);
  group.number("--warmup-steps", t.warmup_steps, "steps in which the rate rises from 0");
  group.number("--warmup-ratio", t.warmup_ratio, "the same as a part of all steps", {.highest = 1})
      ->default_str("none");
  group
      .setting<double>(
          "--lr-num-cycles,--num-cycles", [&o](double n) { o.num_cycles = n; },
          "waves of cosine [0.5]; restarts of cosine_with_restarts [1]")
      ->default_str("none");
  group
      .setting<double>(
          "--lr-power,--power", [&o](double n) { o.power = n; }, "exponent of polynomial")
      ->default_str("1");
  group
      .setting<double>(
          "--lr-end", [&o](double n) { o.lr_end = n; }, "last rate of polynomial")
      ->default_str("1e-7");
  group
      .setting<double>("--lr-min-ratio,--min-lr-ratio,--min-lr-rate", [&o](double n) { o.min_lr_ratio = n; },
                       "lowest rate of cosine_with_min_lr and warmup_stable_decay, as a part of --learning-rate",
                       {.highest = 1})
      ->default_str("none");
  group
      .setting<int64_t>("--lr-timescale,--timescale", [&o](int64_t n) { o.timescale = n; },
                        "steps by which inverse_sqrt falls", {.lowest = 1})
      ->default_str("the warm-up steps, or 10,000");
  group
      .setting<int64_t>(
          "--lr-decay-steps,--num-decay-steps", [&o](int64_t n) { o.num_decay_steps = n; },
          "last steps, in which warmup_stable_decay falls")
      ->default_str("none");
  group
      .choice(
          "--lr-decay-type,--decay-type", {"cosine", "linear", "1-sqrt"},
          [&o](const std::string& type) { o.decay_type = type; }, "form of that fall")
      ->default_str("cosine");
}

// Other names of optimizers in transformers, for the same computation.
const std::map<std::string, std::string> kOtherOptimizers = {
    {"adamw_torch_fused", train::kAdamW}, {"adamw_hf", train::kAdamW},          {"adamw", train::kAdamW},
    {"adamw_apex_fused", train::kAdamW},  {"paged_adamw_32bit", train::kAdamW}, {"lion_32bit", "lion"},
    {"paged_lion_32bit", "lion"}};

void add_optimizer(Group group, TrainingOptions& t) {
  const std::vector<std::string> names = train::optimizer_names();
  std::vector<std::string> words = names;
  for (const auto& [other, name] : kOtherOptimizers) words.push_back(other);
  const auto take = [&t](const std::string& word) {
    const auto other = kOtherOptimizers.find(word);
    t.optim = other == kOtherOptimizers.end() ? word : other->second;
  };
  group.choice("--optim", words, take, "optimizer")
      ->type_name(fmt::format("{}", fmt::join(names, "|")))
      ->default_str(t.optim);
  group.number("--weight-decay", t.weight_decay, "of matrices", {.highest = 1e38});
  group.number("--momentum", t.momentum, "momentum of SGD", {.highest = 1});
  group.flag("--nesterov", t.nesterov, "Nesterov momentum, for SGD");
  group.number("--adam-beta1", t.adam_beta1, "decay of the first moment of AdamW, Adam, LAMB; beta1 of Lion",
               {.highest = 1});
  group.number("--adam-beta2", t.adam_beta2, "decay of the second moment of AdamW, Adam, LAMB; beta2 of Lion",
               {.highest = 1});
  group.number("--adam-epsilon", t.adam_epsilon, "epsilon of AdamW, Adam, LAMB", {.highest = 1e38});
}

void add_evaluation(Group group, FitArguments& a) {
  const std::map<std::string, run::EvalStrategy> strategies = {
      {"no", run::EvalStrategy::kNo}, {"steps", run::EvalStrategy::kSteps}, {"epoch", run::EvalStrategy::kEpoch}};
  group
      .choice(
          "--eval-strategy,--evaluation-strategy", {"no", "steps", "epoch"},
          [&a, strategies](const std::string& word) { a.eval_strategy = strategies.at(word); },
          "when the validation rows are measured, beside the start and the end")
      ->default_str("epoch; steps with --eval-steps");
  group.number("--eval-steps", a.eval_steps, "steps between evaluations", {.lowest = 1})->default_str("none");
  group.flag("--eval-on-start", a.eval_on_start, "measure the validation rows before training, too; =false: do not")
      ->default_str("true");
  group
      .number("--eval-batch-size,--per-device-eval-batch-size", a.eval_batch_size, "rows at a time in validation",
              {.lowest = 1, .highest = 1e6})
      ->default_str("as --batch-size");
  BestModelOptions& best = a.best_model;
  group.flag("--load-best-model-at-end", best.load_at_end, "save the model of the best evaluation, not the last one");
  group.text("--metric-for-best-model", best.metric, "score that decides which evaluation is the best")
      ->default_str("loss");
  group.optional_flag("--greater-is-better", best.greater_is_better, "a higher score is better; =false: a lower one")
      ->default_str("true, but for names that end with loss");
  group
      .number("--early-stopping-patience", best.early_stopping_patience,
              "training ends after so many evaluations in a row without improvement", {.lowest = 1})
      ->default_str("none");
  group.number("--early-stopping-threshold", best.early_stopping_threshold,
               "by how much a score must exceed the best one to be an improvement", {.highest = 1e38});
}

void add_training(Group group, FitArguments& a) {
  group.number("--batch-size,--per-device-train-batch-size", a.batch_size, "rows of a step, on each device",
               {.lowest = 1, .highest = 1e6});
  group.number("--gradient-accumulation-steps", a.training.gradient_accumulation_steps,
               "batches of --batch-size rows that make a step, worked off one after the other",
               {.lowest = 1, .highest = 1e6});
  group.number("--epochs,--num-train-epochs", a.epochs, "epochs", {.lowest = 1, .highest = 1e6});
  group.number("--steps-per-epoch", a.steps_per_epoch, "the data are repeated to fill them", {.lowest = 1})
      ->default_str("one pass");
  group.number("--max-steps", a.max_steps, "steps in all, in place of epochs", {.lowest = 1})->default_str("none");
  TrainingOptions& t = a.training;
  add_schedule(group, t);
  add_optimizer(group, t);
  group.names("--freeze", t.freeze, "parameters that keep their weights: embeddings, encoder.layer.0-5")
      ->default_str("none");
  group.number("--max-grad-norm", t.max_grad_norm, "gradients are clipped to it; 0: never", {.highest = 1e38});
  group.number("--max-grad-value", t.max_grad_value, "elements of the gradient are clipped to it; 0: never",
               {.highest = 1e38});
  add_padding(group, a.model.padding);
  add_packing(group, a);
  add_dtype(group, t.dtype);
  add_on_non_finite(group, t.on_non_finite);
  add_skip_limits(group, t);
  group.switch_on(
      "--allow-new-weights", [&t] { t.new_weights = NewWeights::kAny; },
      "weights of the body that the checkpoint lacks start at random, in place of an error");
  add_remat(group, t.remat);
  add_shuffle_buffer(group, a.shuffle_buffer);
  group.number("--seed", t.seed, "random seed", {.highest = 1.8e19});
}

// Options of the rows to read and of their conversion to examples.
void add_rows(Group data, FitArguments& a) {
  add_recipe(data);
  add_model(data, a.model);
  add_training_files(data, "--train,--train-file", a.train, kRowFiles)->required();
}

// Options of tasks, up to those with this use.
void add_task_options(CLI::App& command, run::ModelOptions& model, OptionUse last) {
  std::vector<OptionField> fields = tasks::option_fields(model.options);
  std::erase_if(fields, [last](const OptionField& field) { return field.rules.use > last; });
  for (const OptionField& field : fields) {
    if (command.get_option_no_throw(as_option_name(field.name)) == nullptr) continue;
    throw UsageError({.where = "tasks of this program",
                      .given = "an option " + in_quotes(field.name) + " of a task, which every run has",
                      .expected = "another name for the option"});
  }
  add_fields(command, fields);
}

}  // namespace

void add_options(CLI::App& command, FitArguments& a) {
  Group data(command, "Data");
  add_rows(data, a);
  add_training_files(data, "--validation,--validation-file", a.validation,
                     "rows to measure on; NAME=FILE: several sets")
      ->default_str("none");
  add_table(data, a.model);
  data.optional_text("--weight-column", a.weight_column, "column of the weight of a training row in the loss")
      ->default_str("example_weight, if the files have it");
  data.number("--validation-split", a.validation_split, "share of --train to measure on instead", {.highest = 0.99})
      ->default_str("none");
  data.number("--max-train-samples", a.max_train_samples, "train on the first rows only", {.lowest = 1})
      ->default_str("all rows");
  data.number("--max-eval-samples", a.max_eval_samples, "measure the first rows of each validation set only",
              {.lowest = 1})
      ->default_str("all rows");
  add_cross_validation(Group(command, "Cross-validation"), a);
  add_training(Group(command, "Training"), a);
  add_task_options(command, a.model, OptionUse::kTraining);
  add_adapter(Group(command, "Adapters"), a);
  add_evaluation(Group(command, "Evaluation"), a);
  data.choice(
          "--changed-data", {"stop", "use"}, [&a](const std::string& word) { a.use_changed_data = word == "use"; },
          "what follows a file of rows that changes during the run or before --resume: the end, with a checkpoint; or "
          "a warning")
      ->default_str("stop");
  Group output(command, "Output");
  output.path("--output,--output-dir", a.output, "folder for the trained model")->required();
  const std::map<std::string, SaveStrategy> strategies = {{"no", SaveStrategy::kNo},
                                                          {"steps", SaveStrategy::kSteps},
                                                          {"epoch", SaveStrategy::kEpoch},
                                                          {"best", SaveStrategy::kBest}};
  output
      .choice(
          "--save-strategy", {"no", "steps", "epoch", "best"},
          [&a, strategies](const std::string& word) { a.save_strategy = strategies.at(word); },
          "when a checkpoint is saved in --output; best: after each evaluation that is the best so far")
      ->default_str("no; steps with --checkpoint-every; each evaluation with --load-best-model-at-end");
  output
      .number("--checkpoint-every,--save-steps", a.checkpoint_every, "steps between checkpoints in --output",
              {.lowest = 1})
      ->default_str("none");
  output.number("--keep-checkpoints,--save-total-limit", a.keep_checkpoints,
                "newest checkpoints that are kept, the best one among them, also after the run; 0: none then");
  output.number("--logging-steps", a.logging_steps, "steps between the lines of metrics.jsonl in --output",
                {.lowest = 1});
  CLI::Option* newest = output.flag("--resume", a.resume, "continue from the newest checkpoint in --output");
  output
      .flag("--overwrite-output,--overwrite-output-dir", a.overwrite_output,
            "replace the model and the checkpoints in --output")
      ->excludes(newest);
  output.flag("--allow-different-bits", a.training.allow_different_bits,
              "resume also where kernels, plugin, XLA_FLAGS, instruction set or mesh are others; the result says so");
  output.path("--resume-from-checkpoint", a.resume_from_checkpoint, "go on from a folder checkpoint-N")
      ->default_str("none")
      ->excludes(newest);
  const auto take_timeout = [&a](double seconds) { a.hang_timeout_s = seconds; };
  output
      .setting<double>("--hang-timeout", take_timeout,
                       "seconds without a step, batch or exchange after which the run ends; 0: none", {.highest = 1e6})
      ->default_str("0; 1800 with several processes");
  add_talk(output, a.talk);
  add_progress(output, a.talk);
  Group device(command, "Device");
  add_device(device, a.device);
  add_mesh(device, a.device.mesh);
}

void add_options(CLI::App& command, EvaluateArguments& a) {
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, a.model);
  add_data(data, "--data,--validation-file", a.data, std::string(kRowFiles) + "; NAME=FILE: sets")->required();
  add_format(data, a.model.table);
  add_table(data, a.model);
  add_padding(data, a.model.padding);
  add_batch_size(data, a.batch_size);
  add_task_options(command, a.model, OptionUse::kLabels);
  Group output(command, "Output");
  add_talk(output, a.talk);
  add_progress(output, a.talk);
  Group device(command, "Device");
  add_dtype(device, a.dtype);
  add_device(device, a.device);
}

void add_options(CLI::App& command, PredictArguments& a) {
  Group data(command, "Data");
  add_recipe(data);
  add_model(data, a.model);
  CLI::Option* files = add_data(data, "--data,--test-file", a.data, std::string(kRowFiles) + "; labels are not read");
  CLI::Option* texts =
      data.texts("--text", a.texts, "a text to predict in place of files; may be given several times")->excludes(files);
  add_format(data, a.model.table);
  add_table(data, a.model);
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
  output.flag("-q,--quiet", a.talk.quiet, "only results and errors");
  add_progress(output, a.talk);
  Group device(command, "Device");
  add_dtype(device, a.dtype);
  add_device(device, a.device);
}

void add_options(CLI::App& command, GenerateArguments& a) {
  Group data(command, "Prompts");
  data.path("--model,--model-name-or-path", a.model, "folder of a model, or its name on the Hugging Face Hub")
      ->required();
  data.texts("--prompt", a.prompts, "a text to go on with; may be given several times");
  data.files("--input", a.input, "prompts: .txt, a line each; .csv, .tsv, .jsonl");
  data.text("--text-column", a.text_column, "column of the prompt");
  data.number("--batch-size", a.batch_size, "prompts at a time", {.lowest = 1, .highest = 1024});
  Group chat(command, "Chat");
  chat.flag("--chat", a.chat, "prompts are a user's messages, by the model's chat template");
  chat.text("--system", a.system, "the message before the user's")->default_str("none");
  chat.text("--messages-column", a.messages_column, "column of conversations in --input; .txt: a message a line");
  add_chat_template(chat, a.chat_template, a.chat_variables);
  add_generation(Group(command, "Generation (defaults are generation_config.json's)"), a);
  Group output(command, "Output");
  output.path("--output", a.output, "a JSON object a prompt; - is stdout")->default_str("-");
  add_talk(output, a.talk, "a line of JSON for each prompt, also where there is only one");
  Group device(command, "Device");
  add_dtype(device, a.dtype, "type of matrices, activations and the cache");
  add_device(device, a.device);
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
  Group output(command, "Output");
  output.path("--output", a.output, "a JSON object an example; - is stdout")->default_str("-");
  output.flag("-q,--quiet", a.talk.quiet, "only results and errors");
  add_progress(output, a.talk);
}

void add_options(CLI::App& command, DevicesArguments& a) {
  add_talk(Group(command, "Output"), a.talk);
  add_device(Group(command, "Device"), a.device);
}

void add_options(CLI::App& command, BenchArguments& a) {
  Group size(command, "Size");
  add_recipe(size);
  add_model_folder(size, a.model);
  size.number("--batch-size", a.batch_size, "rows of a step, on each device", {.lowest = 1, .highest = 1e6});
  size.number("--gradient-accumulation-steps", a.training.gradient_accumulation_steps, "such parts of a step",
              {.lowest = 1, .highest = 1e6});
  auto& options = a.model.options.of<TextClassificationRunOptions>();
  add_fields(command, only(fields_of(options), {"max_length"}), "Size");
  size.number("--steps", a.steps, "steps to time", {.lowest = 1});
  size.number("--warmup", a.warmup, "steps before them");
  add_dtype(size, a.training.dtype);
  add_remat(size, a.training.remat);
  Group device(command, "Device");
  add_device(device, a.device);
  add_mesh(device, a.device.mesh);
}

void add_options(CLI::App& command, BenchInputArguments& a) {
  FitArguments& fit = a.fit;
  Group data(command, "Data");
  add_rows(data, fit);
  add_table(data, fit.model);
  Group batches(command, "Batches");
  batches.number("--batch-size,--per-device-train-batch-size", fit.batch_size, "rows of a batch",
                 {.lowest = 1, .highest = 1e6});
  add_padding(batches, fit.model.padding);
  add_packing(batches, fit);
  add_shuffle_buffer(batches, fit.shuffle_buffer);
  batches.number("--seed", fit.training.seed, "of the order", {.highest = 1.8e19});
  add_task_options(command, fit.model, OptionUse::kTraining);
  Group output(command, "Output");
  output.number("--seconds", a.seconds, "for how long; at least one pass over the rows", {.highest = 1e6});
  add_talk(output, fit.talk);
}

void add_options(CLI::App& command, PlanArguments& a) {
  Group plan(command, "Plan");
  plan.names("--on", a.on,
             "targets: cpu, tpu:v5e-8, cuda:h100x8, ...; one device of each is planned, alone or in --mesh")
      ->required();
  plan.path("--save", a.save, "a new folder for the compiled programs, for fit --compiled on that device")
      ->default_str("none");
  plan.flag("--largest-batch", a.largest_batch, "look for the largest batch that fits, by up to 12 compilations");
  const auto take_limit = [&a](double seconds) { a.time_limit = seconds; };
  plan.setting<double>("--time-limit", take_limit,
                       "seconds for each target; what is known by then is shown; 0: no limit", {.highest = 1e6})
      ->default_str("600; none with --save");
  add_options(command, a.fit);
  command.get_option("--train")->required(false)->default_str("none: one shape of batches is planned");
  command.get_option("--output")->required(false)->default_str("not used");
}

void add_options(CLI::App& command, ReportArguments& a) {
  Group(command, "Runs").paths("run", a.runs, "output folders of portatune fit")->required();
  Group(command, "Output").path("--output", a.output, "the page; - is stdout")->default_str(a.output.string());
}

void add_options(CLI::App& command, MergeArguments& a) {
  Group group(command, "Merge");
  group.path("--model", a.model, "folder of an adapter, as fit --adapter or peft writes it")->required();
  group.path("--output", a.output, "a new folder for the model")->required();
  add_talk(group, a.talk);
}

void add_options(CLI::App& command, ParityArguments& a) {
  Group transformers(command, "Against transformers");
  CLI::Option* reference =
      transformers.path("--case", a.reference, "folder of a model with what transformers computed (docs/parity.md)");
  transformers.path("--dump", a.dump, "a folder for what Portatune computed: new, or of an earlier dump")
      ->default_str("none");
  Group runs(command, "A training run against itself on another setting, with the options of fit");
  runs.text("--against", a.against,
            "what the second run has otherwise: no-kernels; cuda,bfloat16; data=8; tensor=2; ...")
      ->type_name("SETTING")
      ->excludes(reference);
  runs.number("--steps", a.steps, "steps of both runs; never more than fit would make", {.lowest = 1, .highest = 1e6});
  runs.number("--every", a.every, "steps between comparisons of gradients and parameters", {.lowest = 1});
  const auto take = [&](const std::string& name) { a.tolerance = dtype_called(name); };
  runs.choice("--tolerance", {"float32", "bfloat16"}, take, "what is allowed: that of runs of this type")
      ->default_str("the coarser one of the runs");
  add_options(command, a.fit);
  for (const char* option : {"--model", "--train"}) command.get_option(option)->required(false);
  command.get_option("--output")->required(false)->default_str("not used");
}

}  // namespace portatune::cli
