#include "portatune/train/options.h"

#include <cmath>
#include <limits>

#include "portatune/base/message.h"
#include "portatune/error.h"
#include "portatune/train/optimizers.h"
#include "portatune/train/schedule.h"

namespace portatune::train {
namespace {

[[noreturn]] void refuse(const char* option, std::string given, std::string expected, std::string fix = {}) {
  throw UsageError(
      {.where = option, .given = std::move(given), .expected = std::move(expected), .fix = std::move(fix)});
}

void require_at_least(const char* option, int64_t value, int64_t minimum) {
  if (value < minimum) refuse(option, std::to_string(value), "at least " + std::to_string(minimum));
}

// Checks a value as the float32 that the step computes with. Every comparison with NaN is false.
void require_finite_and_not_negative(const char* option, double value) {
  if (!(value >= 0 && value <= std::numeric_limits<float>::max())) {
    refuse(option, to_text(value), "a finite number of at least 0");
  }
}

void check(const BestModelOptions& options, bool is_not_measured) {
  require_at_least("early_stopping_patience", options.early_stopping_patience, 0);
  require_finite_and_not_negative("early_stopping_threshold", options.early_stopping_threshold);
  const bool stops = options.early_stopping_patience > 0;
  if (is_not_measured && (stops || options.load_at_end)) {
    refuse(stops ? "early_stopping_patience" : "load_best_model_at_end", "no evaluation during training",
           "validation data that are measured after steps or epochs");
  }
}

void check_lora(const TrainingOptions& options) {
  if (!options.lora) return;
  const Lora& lora = *options.lora;
  require_at_least("lora_rank", lora.rank, 1);
  require_finite_and_not_negative("lora_alpha", lora.alpha);
  if (!(lora.dropout >= 0 && lora.dropout < 1)) refuse("lora_dropout", to_text(lora.dropout), "at least 0 and below 1");
  if (lora.target_modules.empty()) {
    refuse("target_modules", "none", std::string("names of linear layers, or ") + kAllLinear);
  }
  if (!options.freeze.empty()) refuse("freeze", list_of(options.freeze), "none, as an adapter freezes the whole model");
}

void check_dtype(DType dtype) {
  if (dtype == DType::kFloat32 || dtype == DType::kBFloat16 || dtype == DType::kFloat16) return;
  refuse("dtype", std::string(name_of(dtype)), "float32, bfloat16 or float16");
}

}  // namespace

void check(const TrainingOptions& options) {
  require_finite_and_not_negative("learning_rate", options.learning_rate);
  check_schedule(options);
  require_finite_and_not_negative("weight_decay", options.weight_decay);
  check_optimizer(options);
  require_finite_and_not_negative("max_grad_norm", options.max_grad_norm);
  require_finite_and_not_negative("max_grad_value", options.max_grad_value);
  check_lora(options);
  check_dtype(options.dtype);
  require_at_least("max_skipped_in_a_row", options.max_skipped_in_a_row, 1);
  require_at_least("max_skipped_steps", options.max_skipped_steps, 0);
  require_at_least("gradient_accumulation_steps", options.gradient_accumulation_steps, 1);
  require_at_least("total_steps", options.total_steps, 0);
}

bool saves_checkpoints(const FitOptions& options) {
  const CheckpointOptions& checkpoints = options.checkpoints;
  if (options.best_model.load_at_end) return true;
  return checkpoints.strategy == SaveStrategy::kSteps ? checkpoints.every > 0
                                                      : checkpoints.strategy != SaveStrategy::kNo;
}

void check(const FitOptions& options, OnNonFinite then) {
  check(options.best_model, options.validation.empty());
  require_at_least("eval_steps", options.eval_steps, 0);
  require_at_least("checkpoints.every", options.checkpoints.every, 0);
  require_at_least("checkpoints.keep", options.checkpoints.keep, 1);
  if (saves_checkpoints(options) && options.checkpoints.folder.empty()) {
    refuse("checkpoints.folder", "none", "the folder of the checkpoints");
  }
  if (then == OnNonFinite::kRewind && !saves_checkpoints(options)) {
    refuse("on_non_finite", "rewind without checkpoints", "regular checkpoints to rewind to",
           "set the number of steps between two checkpoints with checkpoint_every");
  }
  require_at_least("num_train_epochs", options.num_train_epochs, 1);
  require_at_least("steps_per_epoch", options.steps_per_epoch, 0);
  if (options.steps_per_epoch > std::numeric_limits<int64_t>::max() / options.num_train_epochs) {
    refuse("steps_per_epoch",
           std::to_string(options.steps_per_epoch) + " in " + std::to_string(options.num_train_epochs) + " epochs",
           "a total number of steps within a 64-bit integer");
  }
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
          .frozen = options.freeze,
          .lora = options.lora};
}

}  // namespace portatune::train
