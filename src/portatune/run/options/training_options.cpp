#include "portatune/run/options/training_options.h"

#include <fmt/format.h>

#include "portatune/base/text/message.h"
#include "portatune/base/text/url_secrets.h"
#include "portatune/data/read/map_rows.h"
#include "portatune/run/inputs/batches/packing.h"
#include "portatune/run/inputs/rows/training_files.h"
#include "portatune/run/inputs/task/model_settings.h"
#include "portatune/run/options/model_name.h"
#include "portatune/train/checkpoint/run_facts.h"
#include "portatune/train/checkpoint/save_folder.h"
#include "portatune/train/plateau.h"

namespace portatune::run {
namespace {

// What decides about the step whose model is saved, and about reductions of the learning rate.
train::RunFacts facts_of_best_model(const RunOptions& a) {
  const BestModelOptions& best = a.best_model;
  const bool chooses = best.load_at_end || best.early_stopping_patience > 0 || a.save_strategy == SaveStrategy::kBest;
  if (!chooses && a.training.lr_scheduler_type != train::kReduceOnPlateau) return {};
  train::RunFacts facts = facts_in(best);
  if (best.early_stopping_patience == 0) facts.erase("early_stopping_threshold");
  facts["validation"] = without_secrets(fmt::format("{}", fmt::join(a.validation, ",")));
  facts.merge(facts_of_validation_files(a.validation));
  if (a.eval_steps.is_set()) facts["eval_steps"] = OptionType<StepInterval>::text(a.eval_steps);
  if (a.eval_delay > 0) facts["eval_delay"] = to_text(a.eval_delay);
  if (a.max_eval_samples > 0) facts["max_eval_samples"] = std::to_string(a.max_eval_samples);
  return facts;
}

}  // namespace

TrainingOptions training_options(const RunPlan& plan, const RowTask& task, int64_t examples) {
  TrainingOptions options = plan.training;
  options.must_match.merge(task.settings());
  options.must_match.merge(facts_of_training_files(plan.train, examples, plan.inputs.get()));
  if (plan.use_changed_data) options.may_differ = facts_of_data(plan.train);
  options.must_match.merge(facts_in<RunOptions>(plan));
  options.must_match["task"] = plan.model.task;
  if (!plan.model.folder.empty()) options.must_match[train::kModelFact] = name_of_model(plan.model.folder);
  const data::TableOptions& table = plan.model.table;
  if (!plan.weights.empty()) options.must_match["weight_column"] = plan.weights;
  if (!table.names.empty()) options.must_match["column_names"] = fmt::format("{}", fmt::join(table.names, ","));
  if (table.delimiter) options.must_match["delimiter"] = std::string(1, *table.delimiter);
  if (plan.model.bad_rows) options.must_match["bad_rows"] = fmt::format("skip:{}", plan.model.bad_rows->limit());
  if (data::MappedRows::are_made()) options.must_match["map"] = "a function of rows";
  for (const auto& [name, given] : table.rename) options.must_match["rename_columns " + name] = given;
  if (!plan.packed && !plan.model.lengths.empty())
    options.must_match["padding"] = fmt::format("{}", fmt::join(plan.model.lengths, ","));
  for (const auto& [source, target] : plan.model.pairs) {
    options.must_match["padding"] += fmt::format("{}+{},", source, target);
  }
  options.must_match.merge(facts_of_best_model(plan));
  options.model_files[train::kSettingsFile] = settings_text(plan.model, task);
  if (plan.packed) {
    options.must_match["packing"] =
        fmt::format("{} in {} rows", name_of(plan.packed->packing), fmt::join(plan.packed->rows, " or "));
  }
  return options;
}

}  // namespace portatune::run
