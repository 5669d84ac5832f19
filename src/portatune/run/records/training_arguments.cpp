#include "portatune/run/records/training_arguments.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "portatune/base/number.h"
#include "portatune/base/url_secrets.h"
#include "portatune/process_group.h"
#include "portatune/run/inputs/given_options.h"
#include "portatune/run/inputs/open_task.h"
#include "portatune/run/inputs/packing.h"
#include "portatune/run/inputs/training_batches.h"
#include "portatune/run/strategies.h"
#include "portatune/train/best_model.h"
#include "portatune/train/checkpoint/run_facts.h"

namespace portatune::run {
namespace {

const char* name_of(OnNonFinite then) {
  switch (then) {
    case OnNonFinite::kSkip:
      return "skip";
    case OnNonFinite::kRewind:
      return "rewind";
    case OnNonFinite::kStop:
      break;
  }
  return "stop";
}

const char* name_of(Remat remat) {
  switch (remat) {
    case Remat::kLayers:
      return "layers";
    case Remat::kDots:
      return "dots";
    case Remat::kNone:
      break;
  }
  return "none";
}

const char* name_of(EvalStrategy strategy) {
  switch (strategy) {
    case EvalStrategy::kNo:
      return "no";
    case EvalStrategy::kSteps:
      return "steps";
    case EvalStrategy::kEpoch:
      break;
  }
  return "epoch";
}

const char* name_of(SaveStrategy strategy) {
  switch (strategy) {
    case SaveStrategy::kSteps:
      return "steps";
    case SaveStrategy::kEpoch:
      return "epoch";
    case SaveStrategy::kBest:
      return "best";
    case SaveStrategy::kNo:
      break;
  }
  return "no";
}

std::string shown(const std::string& text) { return without_secrets(text); }

Json shown(const std::vector<std::string>& words) {
  Json texts = Json::array();
  for (const std::string& word : words) texts.push_back(shown(word));
  return texts;
}

Json without_secrets_of(const std::map<std::string, std::string>& facts) {
  Json object = Json::object();
  for (const auto& [name, value] : facts) object[shown(name)] = shown(value);
  return object;
}

Json given_options(const RunPlan& plan) {
  Json object = Json::object();
  for (const GivenOption& option : plan.model.given) {
    const Json values = shown(option.values);
    object[as_key(option.name)] = values.size() == 1 ? values.front() : values;
  }
  return object;
}

template <class Value>
void add_if_set(const char* name, const std::optional<Value>& value, Json& options) {
  if (value) options[name] = *value;
}

void add_schedule(const ScheduleOptions& schedule, Json& options) {
  add_if_set("lr_num_cycles", schedule.num_cycles, options);
  add_if_set("lr_power", schedule.power, options);
  add_if_set("lr_end", schedule.lr_end, options);
  add_if_set("lr_min_ratio", schedule.min_lr_ratio, options);
  add_if_set("lr_timescale", schedule.timescale, options);
  add_if_set("lr_decay_steps", schedule.num_decay_steps, options);
  add_if_set("lr_decay_type", schedule.decay_type, options);
}

void add_training(const TrainingOptions& t, Json& options) {
  options["learning_rate"] = t.learning_rate;
  options["lr_scheduler_type"] = t.lr_scheduler_type;
  options["warmup_steps"] = t.warmup_steps;
  options["warmup_ratio"] = t.warmup_ratio;
  add_schedule(t.schedule, options);
  options["weight_decay"] = t.weight_decay;
  options["optim"] = t.optim;
  options["momentum"] = t.momentum;
  options["nesterov"] = t.nesterov;
  options["adam_beta1"] = t.adam_beta1;
  options["adam_beta2"] = t.adam_beta2;
  options["adam_epsilon"] = t.adam_epsilon;
  options["max_grad_norm"] = t.max_grad_norm;
  options["max_grad_value"] = t.max_grad_value;
  options["gradient_accumulation_steps"] = t.gradient_accumulation_steps;
  options["dtype"] = portatune::name_of(t.dtype);
  options["remat"] = name_of(t.remat);
  options["on_non_finite"] = name_of(t.on_non_finite);
  options["freeze"] = t.freeze;
  options["seed"] = t.seed;
}

void add_adapter(const Lora& lora, Json& options) {
  options["adapter"] = "lora";
  options["lora_rank"] = lora.rank;
  options["lora_alpha"] = lora.alpha;
  options["lora_dropout"] = lora.dropout;
  options["use_rslora"] = lora.use_rslora;
  options["lora_target_modules"] = lora.target_modules;
  options["modules_to_save"] = lora.modules_to_save;
}

void add_best_model(const FitOptions& length, Json& options) {
  const BestModelOptions& best = length.best_model;
  options["load_best_model_at_end"] = best.load_at_end;
  if (const std::string score = train::deciding_score(length); !score.empty()) options["metric_for_best_model"] = score;
  add_if_set("greater_is_better", best.greater_is_better, options);
  options["early_stopping_patience"] = best.early_stopping_patience;
  options["early_stopping_threshold"] = best.early_stopping_threshold;
}

Json json_of(const OptionField& field) {
  const std::vector<std::string> words = field.words();
  switch (field.kind) {
    case OptionKind::kFlag:
      return words.front() == "true";
    case OptionKind::kInteger:
      return number_in<int64_t>(words.front()).value_or(0);
    case OptionKind::kNumber:
      return number_in<double>(words.front()).value_or(0);
    case OptionKind::kTexts:
      return shown(words);
    case OptionKind::kText:
    case OptionKind::kPath:
      break;
  }
  return shown(words.front());
}

// The options of the task without those that portatune.json has.
void add_task(const RunPlan& plan, Json& options) {
  TaskOptions values = plan.model.options;
  for (const OptionField& field : spec_of(plan.model, model_of(plan)).fields(values)) {
    const std::vector<std::string> words = field.words();
    const bool is_empty = words.empty() || words.front().empty();
    if (!field.rules.kept && !is_empty && field.kind != OptionKind::kPath) options[field.name] = json_of(field);
  }
}

Json device_of(const Opening& o) {
  const DeviceFacts facts = o.device.facts();
  const ProcessGroup* const processes = o.device.processes();
  return {{"platform", facts.platform},
          {"plugin", facts.plugin.filename().string()},
          {"plugin_version", facts.version},
          {"kernels", facts.kernels_version},
          {"devices", facts.devices},
          {"mesh", to_string(o.device.mesh())},
          {"processes", processes == nullptr ? 1 : processes->size()}};
}

Json data_of(const Opening& o) {
  Json data = {{"train_files", shown(o.plan.train)},
               {"train_rows", o.train.rows},
               {"train_examples", o.train.examples},
               {"validation_files", shown(o.plan.validation)}};
  for (const std::optional<DataSurvey>& set : o.validation) {
    data["validation_rows"].push_back(set ? Json(set->rows) : Json());
  }
  return data;
}

}  // namespace

Json resolved_options(const Opening& o) {
  const RunPlan& plan = o.plan;
  Json options = {{"task", plan.model.task},
                  {"model_name_or_path", plan.model.folder.string()},
                  {"output_dir", plan.output.string()},
                  {"num_train_epochs", o.length.num_train_epochs},
                  {"steps_per_epoch", o.length.steps_per_epoch},
                  {"per_device_train_batch_size", plan.batch_size},
                  {"total_train_batch_size", rows_of_step(plan)},
                  {"per_device_eval_batch_size", plan.eval_batch_size > 0 ? plan.eval_batch_size : plan.batch_size},
                  {"eval_on_start", plan.eval_on_start},
                  {"eval_strategy", name_of(eval_strategy_of(plan))},
                  {"eval_steps", plan.eval_steps},
                  {"save_strategy", name_of(save_strategy_of(plan))},
                  {"max_train_samples", plan.max_train_samples},
                  {"max_eval_samples", plan.max_eval_samples},
                  {"logging_steps", plan.logging_steps},
                  {"save_steps", save_steps_of(plan)},
                  {"save_total_limit", plan.keep_checkpoints},
                  {"shuffle_buffer", plan.shuffle_buffer},
                  {"validation_split", plan.validation_split}};
  if (plan.task->max_length() > 0) options["max_length"] = plan.task->max_length();
  if (!plan.model.lengths.empty()) options["lengths"] = plan.model.lengths;
  options["packing"] = plan.packed ? name_of(plan.packed->packing) : "none";
  if (!plan.weights.empty()) options["weight_column"] = plan.weights;
  add_training(plan.training, options);
  add_best_model(o.length, options);
  add_task(plan, options);
  if (plan.training.lora) add_adapter(*plan.training.lora, options);
  return options;
}

Json training_arguments(const Opening& o, const TrainingOptions& training) {
  Json arguments = {{"portatune_version", PORTATUNE_VERSION}};
  if (!o.plan.command.empty()) arguments["command"] = shown(o.plan.command);
  arguments["options"] = resolved_options(o);
  arguments["given_options"] = given_options(o.plan);
  arguments["facts"] = without_secrets_of(train::facts_of(training, o.device.mesh()));
  arguments["machine"] = train::machine_facts(o.device);
  arguments["device"] = device_of(o);
  arguments["data"] = data_of(o);
  return arguments;
}

}  // namespace portatune::run
