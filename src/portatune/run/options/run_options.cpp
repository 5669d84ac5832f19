#include "portatune/run/options/run_options.h"

#include "portatune/base/text/message.h"
#include "portatune/train/options.h"

namespace portatune::run {
namespace {

// What may be given in place of a number of steps.
constexpr const char* kOrPart = "; below 1: a part of all steps";

void describe_data(RunOptions& o, OptionFields& fields) {
  fields.group("Data");
  fields("train", o.train, kRowFiles, {.required = true, .files = true, .other_names = "train_file"});
  fields("validation", o.validation, "rows to measure on; NAME=FILE: several sets",
         {.files = true, .other_names = "validation_file"});
  fields("weight_column", o.weight_column, "column of the weight of a training row in the loss",
         {.default_help = "example_weight, if the files have it"});
  fields("validation_split", o.validation_split, "share of --train to measure on instead",
         {.highest = 0.99, .fact = Fact::kUnlessDefault, .default_help = "none"});
  fields("max_train_samples", o.max_train_samples, "train on the first rows only",
         {.lowest = 1, .fact = Fact::kUnlessDefault, .default_help = "all rows"});
  fields("max_eval_samples", o.max_eval_samples, "measure the first rows of each validation set only",
         {.lowest = 1, .default_help = "all rows"});
  fields("changed_data", o.use_changed_data,
         "what follows a file of rows that changes during the run or before --resume: the end, with a checkpoint; or a "
         "warning",
         {.choices = {{"stop", "false"}, {"use", "true"}}});
}

void describe_folds(RunOptions& o, OptionFields& fields) {
  fields.group("Cross-validation");
  fields("folds", o.folds, "parts of the rows; each is predicted by a model trained on the others",
         {.lowest = 2, .highest = 1000, .default_help = "none"});
  fields("group_column", o.group_column, "rows with the same text here stay together");
  fields("test", o.test, "rows to predict by the mean of all models", {.files = true, .other_names = "test_file"});
  fields("max_concurrent_runs", o.max_concurrent_runs,
         "maximum number of folds, or of trials of a sweep, at the same time on a CPU, each on its own cores; fewer if "
         "memory is short",
         {.highest = 1e6, .decides = false, .default_help = "one for each core"});
}

void describe_training(RunOptions& o, OptionFields& fields) {
  fields.group("Training");
  fields("batch_size", o.batch_size, "rows of a step, on each device",
         {.lowest = 1, .highest = 1e6, .fact = Fact::kAlways, .other_names = "per_device_train_batch_size"});
  fields("epochs", o.epochs, "epochs", {.lowest = 1, .highest = 1e6, .other_names = "num_train_epochs"});
  fields("steps_per_epoch", o.steps_per_epoch, "number of steps in an epoch; the data are repeated to fill it",
         {.lowest = 1, .default_help = "one pass"});
  fields("max_steps", o.max_steps, "number of steps of the whole run, in place of epochs",
         {.lowest = 1, .default_help = "none"});
  fields("config_overrides", o.model.config_overrides,
         "values in place of those in config.json, which the saved model has, too: hidden_dropout_prob=0.2",
         {.repeated = true, .fact = Fact::kUnlessDefault, .placeholder = "KEY=VALUE,..."});
  fields("packing", o.packing, "several texts per row", {.default_help = "exact_examples, unless --padding is given"});
  fields("tokens_per_batch", o.tokens_per_batch, "tokens of a batch with --packing token_budget",
         {.lowest = 1, .highest = 1e9, .default_help = "about --batch-size examples"});
  fields("shuffle_buffer", o.shuffle_buffer,
         "rows in memory, of which each next one is drawn; local TFRecords with an index and folders of images are "
         "shuffled as a whole without",
         {.lowest = 1, .highest = 1e9, .fact = Fact::kUnlessDefault});
  fields.group("Adapters");
  fields("adapter", o.adapter, "train adapters in place of the weights",
         {.choices = {{"none", "false"}, {"lora", "true"}}});
}

void describe_evaluation(RunOptions& o, OptionFields& fields) {
  fields.group("Evaluation");
  fields("eval_strategy", o.eval_strategy, "when the validation rows are measured, beside the start and the end",
         {.other_names = "evaluation_strategy", .default_help = "epoch; steps with --eval-steps"});
  fields("eval_steps", o.eval_steps, std::string("steps between evaluations") + kOrPart,
         {.lowest = kAboveZero, .default_help = "none"});
  fields("eval_delay", o.eval_delay, "epochs, or steps with --eval-steps, before the first evaluation during training",
         {.highest = OptionType<int64_t>::kHighest});
  fields("eval_on_start", o.eval_on_start, "measure the validation rows before training, too; =false: do not",
         {.default_help = "true"});
  fields("eval_batch_size", o.eval_batch_size, "rows at a time in validation",
         {.lowest = 1, .highest = 1e6, .other_names = "per_device_eval_batch_size", .default_help = "as --batch-size"});
}

void describe_output(RunOptions& o, OptionFields& fields) {
  fields.group("Output");
  fields("output", o.output, "folder for the trained model",
         {.required = true, .decides = false, .other_names = "output_dir"});
  fields("save_strategy", o.save_strategy,
         "when a checkpoint is saved in --output; best: after each evaluation that is the best so far",
         {.default_help = "no; steps with --checkpoint-every; each evaluation with --load-best-model-at-end"});
  fields("checkpoint_every", o.checkpoint_every, "steps between checkpoints, or 0.1 of all",
         {.lowest = kAboveZero, .other_names = "save_steps", .default_help = "none"});
  fields("keep_checkpoints", o.keep_checkpoints,
         "newest checkpoints that are kept, the best one among them, also after the run; 0: none then",
         {.other_names = "save_total_limit"});
  fields("logging_steps", o.logging_steps,
         std::string("steps between the lines of metrics.jsonl in --output") + kOrPart, {.lowest = kAboveZero});
  fields("logging_first_step", o.logging_first_step, "write a line of metrics.jsonl after the first step, too");
  fields("report_examples", o.report_examples,
         "wrongly predicted rows of each validation set in report.html, with their texts; 0: none", {.highest = 1000});
  fields("resume", o.resume, "continue from the newest checkpoint in --output", {.decides = false});
  fields("overwrite_output", o.overwrite_output, "replace the run in --output",
         {.decides = false, .other_names = "overwrite_output_dir"});
  fields("resume_from_checkpoint", o.resume_from_checkpoint, "continue from a folder checkpoint-N");
}

}  // namespace

void RunOptions::describe(OptionFields& fields) {
  describe_data(*this, fields);
  describe_folds(*this, fields);
  describe_training(*this, fields);
  describe_evaluation(*this, fields);
  describe_output(*this, fields);
}

void check_options_of_run(const RunOptions& options) {
  check_ranges(options);
  train::check(options.training);
  check_ranges(options.best_model);
  check_ranges(options.lora);
}

}  // namespace portatune::run
