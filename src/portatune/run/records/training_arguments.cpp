#include "portatune/run/records/training_arguments.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "portatune/base/text/number.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/base/version.h"
#include "portatune/process_group.h"
#include "portatune/run/inputs/batches/packing.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/task/given_options.h"
#include "portatune/run/inputs/task/open_task.h"
#include "portatune/run/options/strategies.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/evaluation/best_model.h"

namespace portatune::run {
namespace {

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

Json json_of(const OptionField& field, const std::string& word) {
  if (field.is_flag()) return word == "true";
  if (field.kind == OptionKind::kNumber) return number_in<double>(word).value();
  return field.kind == OptionKind::kInteger ? Json::parse(word) : Json(shown(word));
}

// Adds the values of the fields under their names. Fields without a value are left out.
void add_fields(const std::vector<OptionField>& fields, Json& options) {
  for (const OptionField& field : fields) {
    const std::vector<std::string> words = field.words();
    if (field.kind == OptionKind::kTexts) {
      options[field.name] = shown(words);
    } else if (!words.empty() && !words.front().empty()) {
      options[field.name] = json_of(field, words.front());
    }
  }
}

void add_best_model(const FitOptions& length, Json& options) {
  BestModelOptions best = length.best_model;
  best.metric = train::deciding_score(length);
  add_fields(fields_of(best), options);
}

// The options of the task without those that portatune.json has.
void add_task(const RunPlan& plan, Json& options) {
  TaskOptions values = plan.model.options;
  std::vector<OptionField> fields = spec_of(plan.model, model_of(plan)).fields(values);
  std::erase_if(fields, [](const OptionField& field) {
    const std::vector<std::string> words = field.words();
    return field.rules.kept || field.kind == OptionKind::kPath || words.empty() || words.front().empty();
  });
  add_fields(fields, options);
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
  TrainingOptions training = plan.training;
  Json options = {{"task", plan.model.task},
                  {"model_name_or_path", plan.model.folder.string()},
                  {"output_dir", plan.output.string()},
                  {"num_train_epochs", o.length.num_train_epochs},
                  {"steps_per_epoch", o.length.steps_per_epoch},
                  {"per_device_train_batch_size", plan.batch_size},
                  {"total_train_batch_size", rows_of_step(plan)},
                  {"per_device_eval_batch_size", plan.eval_batch_size > 0 ? plan.eval_batch_size : plan.batch_size},
                  {"eval_on_start", plan.eval_on_start},
                  {"eval_strategy", name_in_table(eval_strategy_of(plan))},
                  {"eval_steps", o.length.eval_steps},
                  {"eval_delay", plan.eval_delay},
                  {"save_strategy", name_in_table(save_strategy_of(plan))},
                  {"max_train_samples", plan.max_train_samples},
                  {"max_eval_samples", plan.max_eval_samples},
                  {"logging_steps", plan.logging_steps.of(total_steps(o))},
                  {"logging_first_step", plan.logging_first_step},
                  {"report_examples", plan.report_examples},
                  {"save_steps", o.length.checkpoints.every},
                  {"save_total_limit", plan.keep_checkpoints},
                  {"shuffle_buffer", plan.shuffle_buffer},
                  {"validation_split", plan.validation_split}};
  if (plan.task->max_length() > 0) options["max_length"] = plan.task->max_length();
  if (!plan.model.lengths.empty()) options["lengths"] = plan.model.lengths;
  for (const auto& [source, target] : plan.model.pairs) options["lengths"].push_back({source, target});
  options["packing"] = plan.packed ? name_of(plan.packed->packing) : "none";
  if (!plan.weights.empty()) options["weight_column"] = plan.weights;
  add_fields(fields_of(training), options);
  add_best_model(o.length, options);
  add_task(plan, options);
  if (training.lora) {
    options["adapter"] = "lora";
    add_fields(fields_of(*training.lora), options);
  }
  return options;
}

Json training_arguments(const Opening& o, const TrainingOptions& training) {
  Json arguments = {{"portatune_version", version()}};
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
