#include "portatune/run/training_options.h"

#include <fmt/format.h>

#include "portatune/base/message.h"
#include "portatune/hub/cache.h"
#include "portatune/run/inputs/model_settings.h"
#include "portatune/run/inputs/packing.h"
#include "portatune/run/inputs/training_files.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/checkpoint/save_folder.h"

namespace portatune::run {
namespace {

// The last part of the path or of the model's name on the Hub. A resumed run may thus find the model in another folder,
// or by its name.
std::string name_of_model(const std::filesystem::path& folder) {
  const std::optional<hub::HubName> on_hub = hub::hub_name_of(folder);
  const std::filesystem::path named = on_hub ? std::filesystem::path(on_hub->name) : std::filesystem::absolute(folder);
  const std::filesystem::path path = named.lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

// What decides about the step whose model is saved.
train::RunFacts facts_of_best_model(const RunOptions& a) {
  const BestModelOptions& best = a.best_model;
  if (!best.load_at_end && best.early_stopping_patience == 0 && a.save_strategy != SaveStrategy::kBest) return {};
  train::RunFacts facts = {{"load_best_model_at_end", best.load_at_end ? "true" : "false"}};
  if (best.early_stopping_patience > 0) {
    facts["early_stopping_patience"] = std::to_string(best.early_stopping_patience);
    facts["early_stopping_threshold"] = to_text(best.early_stopping_threshold);
  }
  if (!best.metric.empty()) facts["metric_for_best_model"] = best.metric;
  if (best.greater_is_better) facts["greater_is_better"] = *best.greater_is_better ? "true" : "false";
  facts["validation"] = fmt::format("{}", fmt::join(a.validation, ","));
  if (a.eval_steps > 0) facts["eval_steps"] = std::to_string(a.eval_steps);
  if (a.max_eval_samples > 0) facts["max_eval_samples"] = std::to_string(a.max_eval_samples);
  return facts;
}

}  // namespace

TrainingOptions training_options(const RunPlan& plan, const RowTask& task, int64_t examples) {
  TrainingOptions options = plan.training;
  options.must_match.merge(task.settings());
  options.must_match.merge(facts_of_training_files(plan.train, examples, plan.inputs.get()));
  if (plan.use_changed_data) options.may_differ = facts_of_data(plan.train);
  options.must_match.insert({{"task", plan.model.task}, {"batch_size", std::to_string(plan.batch_size)}});
  if (!plan.model.folder.empty()) options.must_match[train::kModelFact] = name_of_model(plan.model.folder);
  if (plan.shuffle_buffer != RunOptions{}.shuffle_buffer)
    options.must_match["shuffle_buffer"] = std::to_string(plan.shuffle_buffer);
  const data::TableOptions& table = plan.model.table;
  if (!plan.weights.empty()) options.must_match["weight_column"] = plan.weights;
  if (!table.names.empty()) options.must_match["column_names"] = fmt::format("{}", fmt::join(table.names, ","));
  if (table.delimiter) options.must_match["delimiter"] = std::string(1, *table.delimiter);
  if (plan.model.bad_rows) options.must_match["bad_rows"] = fmt::format("skip:{}", plan.model.bad_rows->limit());
  for (const auto& [name, given] : table.rename) options.must_match["rename_columns " + name] = given;
  if (!plan.packed && !plan.model.lengths.empty())
    options.must_match["padding"] = fmt::format("{}", fmt::join(plan.model.lengths, ","));
  if (plan.validation_split > 0) options.must_match["validation_split"] = to_text(plan.validation_split);
  if (plan.max_train_samples > 0) options.must_match["max_train_samples"] = std::to_string(plan.max_train_samples);
  options.must_match.merge(facts_of_best_model(plan));
  options.model_files[train::kSettingsFile] = settings_text(plan.model, task);
  if (plan.packed) {
    options.must_match["packing"] =
        fmt::format("{} in {} rows", name_of(plan.packed->packing), fmt::join(plan.packed->rows, " or "));
  }
  return options;
}

}  // namespace portatune::run
