#include "portatune/train/options.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/error.h"
#include "portatune/train/evaluation/evaluation.h"
#include "portatune/train/optimizers.h"
#include "portatune/train/schedule.h"

namespace portatune {

// Numbers of single modules: "query=16,output.dense=4".
template <class Number>
struct OptionType<std::map<std::string, Number>> : OptionTypeOf<std::map<std::string, Number>, OptionKind::kText> {
  using Numbers = std::map<std::string, Number>;

  static std::string expected() { return "MODULE=NUMBER,... with numbers above 0 and each module once"; }
  static std::optional<Numbers> read(const std::string& text) {
    Numbers numbers;
    if (text.empty()) return numbers;
    for (const std::string& part : split(text, ',')) {
      const size_t equals = part.rfind('=');
      if (equals == std::string::npos || equals == 0) return std::nullopt;
      const auto number = number_in<Number>(part.substr(equals + 1));
      const bool is_valid = number && *number > 0 && std::isfinite(static_cast<double>(*number));
      if (!is_valid || !numbers.emplace(part.substr(0, equals), *number).second) return std::nullopt;
    }
    return numbers;
  }
  static std::string text(const Numbers& numbers) {
    std::string text;
    for (const auto& [module, number] : numbers) text += (text.empty() ? "" : ",") + module + "=" + to_text(number);
    return text;
  }
};

namespace {

std::vector<OptionChoice> choices_of(const std::vector<std::string>& words) {
  std::vector<OptionChoice> choices;
  for (const std::string& word : words) choices.push_back({word});
  return choices;
}

void describe_optimizer(TrainingOptions& o, OptionFields& fields) {
  constexpr Fact kAlways = Fact::kAlways;
  fields("optim", o.optim, "optimizer", {.choices = train::optimizer_choices(), .fact = kAlways});
  fields("weight_decay", o.weight_decay, "weight decay of matrices", {.fact = kAlways});
  fields("param_group", o.param_groups,
         "learning rate or weight decay of parameters: 'classifier: lr=1e-3, weight_decay=0'; repeatable",
         {.repeated = true, .fact = Fact::kUnlessDefault, .placeholder = "GROUP"});
  fields("layer_decay", o.layer_decay, "factor of the learning rate from each layer to the one below",
         {.lowest = kAboveZero, .highest = 1, .fact = Fact::kUnlessDefault});
  fields("momentum", o.momentum, "momentum of SGD, RMSprop", {.below = 1, .fact = kAlways});
  fields("nesterov", o.nesterov, "Nesterov momentum, for SGD", {.fact = kAlways});
  fields("rmsprop_alpha", o.rmsprop_alpha, "decay of the mean square of RMSprop",
         {.below = 1, .fact = Fact::kUnlessDefault});
  fields("rmsprop_centered", o.rmsprop_centered, "RMSprop subtracts the mean of the gradients from them",
         {.fact = Fact::kUnlessDefault});
  fields("adam_beta1", o.adam_beta1, "decay of the first moment of AdamW, Adam, LAMB; beta1 of Lion",
         {.below = 1, .fact = kAlways});
  fields("adam_beta2", o.adam_beta2, "decay of the second moment of AdamW, Adam, LAMB; beta2 of Lion",
         {.below = 1, .fact = kAlways});
  // A parameter with gradient 0 would be 0/0 without epsilon.
  fields("adam_epsilon", o.adam_epsilon, "epsilon of AdamW, Adam, LAMB, RMSprop",
         {.lowest = kAboveZero, .fact = kAlways});
}

void describe_weights(TrainingOptions& o, OptionFields& fields) {
  fields("freeze", o.freeze, "parameters that keep their weights: embeddings, encoder.layer.0-5",
         {.fact = Fact::kUnlessDefault});
  fields("ema", o.ema, "decay of an exponential moving average of the weights, such as 0.999; 0: none",
         {.below = 1, .fact = Fact::kUnlessDefault});
  fields("from_config", o.from_config, "train from scratch: all weights start at random, those of --model are not read",
         {.fact = Fact::kUnlessDefault});
}

void describe_faults(TrainingOptions& o, OptionFields& fields) {
  fields("on_non_finite", o.on_non_finite,
         "what follows a loss or gradient that is not finite: the end, with a checkpoint; the next batch; or the next "
         "batch with the weights of the last checkpoint");
  fields("max_skipped_in_a_row", o.max_skipped_in_a_row,
         "--on-non-finite skip ends the run after this many skipped steps in a row", {.lowest = 1});
  fields("max_skipped_steps", o.max_skipped_steps,
         "--on-non-finite skip ends the run after more skipped steps than this in all",
         {.lowest = 1, .default_help = "a tenth of the steps, at least 10"});
  fields("allow_new_weights", o.new_weights,
         "weights of the body that the checkpoint lacks start at random, in place of an error", {.sets = "any"});
}

}  // namespace

int64_t StepInterval::of(int64_t total_steps) const {
  const double steps = value < 1 ? std::ceil(static_cast<double>(total_steps) * value) : value;
  return static_cast<int64_t>(steps);
}

std::optional<StepInterval> OptionType<StepInterval>::read(const std::string& text) {
  const std::optional<double> number = number_in<double>(text);
  if (!number || (*number >= 1 && *number != std::floor(*number))) return std::nullopt;
  return StepInterval(*number);
}

std::string OptionType<StepInterval>::text(const StepInterval& interval) {
  const double value = interval.value;
  const bool is_count = value == std::floor(value) && std::abs(value) <= kHighest;
  return is_count ? std::to_string(static_cast<int64_t>(value)) : to_text(value);  // not "1e+05"
}

void TrainingOptions::describe(OptionFields& fields) {
  constexpr Fact kAlways = Fact::kAlways, kUnlessDefault = Fact::kUnlessDefault;
  fields.group("Training");
  fields("gradient_accumulation_steps", gradient_accumulation_steps,
         "batches of --batch-size rows that make a step, one after the other",
         {.lowest = 1, .highest = 1e6, .fact = kAlways});
  fields("learning_rate", learning_rate, "learning rate before the schedule", {.fact = kAlways});
  fields("lr_scheduler_type", lr_scheduler_type, "learning rate over the steps",
         {.choices = choices_of(train::schedule_names()), .fact = kAlways});
  fields("warmup_steps", warmup_steps, "steps in which the rate rises from 0; below 1: a part of all steps",
         {.fact = kAlways});
  fields("warmup_ratio", warmup_ratio, "steps in which the rate rises from 0, as a part of all steps",
         {.below = 1, .fact = kUnlessDefault, .default_help = "none"});
  schedule.describe(fields);
  describe_optimizer(*this, fields);
  describe_weights(*this, fields);
  fields("max_grad_norm", max_grad_norm, "gradients are clipped to it; 0: never", {.fact = kAlways});
  fields("max_grad_value", max_grad_value, "elements of the gradient are clipped to it; 0: never",
         {.fact = kUnlessDefault});
  fields("dtype", dtype, "type of activations; weights stay float32", {.fact = kAlways});
  describe_faults(*this, fields);
  fields("remat", remat, "activations to recompute");
  fields("seed", seed, "random seed", {.fact = kAlways});
  fields.group("Output");
  fields("allow_different_bits", allow_different_bits,
         "resume also where kernels, plugin, XLA_FLAGS, instruction set or mesh are others; the result says so");
}

void Lora::describe(OptionFields& fields) {
  fields.group("Adapters");
  fields("lora_rank", rank, "rank of the adapters", {.lowest = 1, .other_names = "lora_r"});
  fields("lora_rank_pattern", rank_pattern, "modules with another rank: query=16,output.dense=4",
         {.placeholder = "MODULE=N,...", .default_help = "none"});
  fields("lora_alpha", alpha, "adapters are scaled by alpha / rank");
  fields("lora_alpha_pattern", alpha_pattern, "modules with another alpha: query=32",
         {.placeholder = "MODULE=N,...", .default_help = "none"});
  fields("lora_bias", bias, "biases that are trained, too; lora_only: those of layers with adapters");
  fields("lora_dropout", dropout, "dropout of the input of adapters", {.below = 1});
  fields("lora_target_modules", target_modules, "linear layers with adapters: query,value, or all-linear",
         {.default_help = "those of peft"});
  fields("modules_to_save", modules_to_save, "modules beside the head that are trained as a whole");
  fields("use_rslora", use_rslora, "scale adapters by alpha / sqrt(rank)");
  fields("use_dora", use_dora, "train the norms of the adapted weights, too: DoRA");
}

void BestModelOptions::describe(OptionFields& fields) {
  fields.group("Evaluation");
  fields("load_best_model_at_end", load_at_end, "save the model of the best evaluation, not the last one",
         {.fact = Fact::kAlways});
  fields("metric_for_best_model", metric, "score that decides which evaluation is the best",
         {.fact = Fact::kUnlessDefault, .default_help = "loss"});
  fields("greater_is_better", greater_is_better, "a higher score is better; =false: a lower one",
         {.fact = Fact::kUnlessDefault, .default_help = "true, but not for losses and errors"});
  fields("early_stopping_patience", early_stopping_patience,
         "training ends after this many evaluations in a row without improvement",
         {.lowest = 1, .fact = Fact::kUnlessDefault, .default_help = "none"});
  fields("early_stopping_threshold", early_stopping_threshold,
         "a smaller difference from the best score is no improvement", {.fact = Fact::kAlways});
}

}  // namespace portatune

namespace portatune::train {
namespace {

void require_at_least(const char* option, int64_t value, int64_t minimum) {
  if (value < minimum) refuse_option(option, std::to_string(value), "at least " + std::to_string(minimum));
}

void check(const BestModelOptions& options, bool is_not_measured) {
  check_ranges(options);
  const bool stops = options.early_stopping_patience > 0;
  if (is_not_measured && (stops || options.load_at_end)) {
    refuse_option(stops ? "early_stopping_patience" : "load_best_model_at_end", "no evaluation during training",
                  "validation data that are measured after steps or epochs");
  }
}

void check_lora(const TrainingOptions& options) {
  if (!options.lora) return;
  const Lora& lora = *options.lora;
  check_ranges(lora);
  if (lora.target_modules.empty()) {
    refuse_option("lora_target_modules", "none", std::string("names of linear layers, or ") + kAllLinear);
  }
  const bool has_all = std::ranges::find(lora.target_modules, kAllLinear) != lora.target_modules.end();
  if (has_all && lora.bias == LoraBias::kLoraOnly) {
    refuse_option("lora_bias", "lora_only for " + std::string(kAllLinear), "all, none, or names of linear layers");
  }
  if (!options.freeze.empty())
    refuse_option("freeze", list_of(options.freeze), "none, as an adapter freezes the whole model");
  if (options.from_config)
    refuse_option("from_config", "an adapter", "a model with weights, as an adapter does not train them");
}

}  // namespace

void refuse_option(const std::string& option, std::string given, std::string expected, std::string fix) {
  throw UsageError(
      {.where = option, .given = std::move(given), .expected = std::move(expected), .fix = std::move(fix)});
}

void check(const TrainingOptions& options) {
  check_ranges(options);
  check_schedule(options);
  check_optimizer(options);
  check_lora(options);
  require_at_least("total_steps", options.total_steps, 0);
}

// The length of the run in epochs, or in steps with eval_steps; nothing if it depends on the rows.
std::optional<double> known_length(const FitOptions& options) {
  if (options.eval_steps == 0 && options.max_steps == 0) return static_cast<double>(options.num_train_epochs);
  if (options.steps_per_epoch == 0 && (options.eval_steps == 0 || options.max_steps == 0)) return std::nullopt;
  const double steps = static_cast<double>(total_steps(options));
  return options.eval_steps == 0 ? steps / static_cast<double>(options.steps_per_epoch) : steps;
}

// Without any evaluation there is no best model.
void check_delay(const FitOptions& options) {
  const BestModelOptions& best = options.best_model;
  const bool needs_evaluation =
      best.load_at_end || best.early_stopping_patience > 0 || options.checkpoints.strategy == SaveStrategy::kBest;
  const std::optional<double> length = known_length(options);
  if (!needs_evaluation || !length || options.eval_delay <= *length) return;
  refuse_option("eval_delay", to_text(options.eval_delay),
                "at most " + to_text(*length) + ", the " + (options.eval_steps == 0 ? "epochs" : "steps") +
                    " of the run, as evaluations decide about the best model");
}

bool saves_checkpoints(const FitOptions& options) {
  const CheckpointOptions& checkpoints = options.checkpoints;
  if (options.best_model.load_at_end) return true;
  return checkpoints.strategy == SaveStrategy::kSteps ? checkpoints.every > 0
                                                      : checkpoints.strategy != SaveStrategy::kNo;
}

int64_t total_steps(const FitOptions& options, int64_t steps_per_epoch) {
  if (options.max_steps > 0) return options.max_steps;
  const int64_t epochs = options.num_train_epochs;
  if (steps_per_epoch > std::numeric_limits<int64_t>::max() / epochs) {
    refuse_option("steps_per_epoch", std::to_string(steps_per_epoch) + " in " + std::to_string(epochs) + " epochs",
                  "a total number of steps within a 64-bit integer");
  }
  return steps_per_epoch * epochs;
}

void check(const FitOptions& options, const TrainingOptions& training) {
  check(options.best_model, options.validation.empty());
  if (training.ema > 0 &&
      std::ranges::find(options.validation, kAverages, &EvaluationSet::name) != options.validation.end()) {
    refuse_option("validation", std::string("a set with the name ") + kAverages,
                  "another name, as the scores of the averaged weights have this one");
  }
  require_at_least("eval_steps", options.eval_steps, 0);
  if (!(options.eval_delay >= 0)) refuse_option("eval_delay", to_text(options.eval_delay), "at least 0");
  require_at_least("checkpoints.every", options.checkpoints.every, 0);
  require_at_least("checkpoints.keep", options.checkpoints.keep, 1);
  if (saves_checkpoints(options) && options.checkpoints.folder.empty()) {
    refuse_option("checkpoints.folder", "none", "the folder of the checkpoints");
  }
  if (training.on_non_finite == OnNonFinite::kRewind && !saves_checkpoints(options)) {
    refuse_option("on_non_finite", "rewind without checkpoints", "regular checkpoints to rewind to",
                  "set the number of steps between two checkpoints with checkpoint_every");
  }
  require_at_least("num_train_epochs", options.num_train_epochs, 1);
  require_at_least("steps_per_epoch", options.steps_per_epoch, 0);
  require_at_least("max_steps", options.max_steps, 0);
  total_steps(options);
  check_delay(options);
}

StepOptions step_options(const TrainingOptions& options, const Mesh& mesh) {
  return {.compute_dtype = options.dtype,
          .optimizer = optimizer_of(options),
          .gradient_accumulation_steps = options.gradient_accumulation_steps,
          .remat = options.remat,
          .mesh = mesh,
          .max_grad_norm = options.max_grad_norm,
          .max_grad_value = options.max_grad_value,
          .on_non_finite = options.on_non_finite,
          .decays = options.weight_decay > 0,
          .groups = groups_of(options),
          .layer_decay = options.layer_decay,
          .frozen = options.freeze,
          .lora = options.lora};
}

}  // namespace portatune::train
