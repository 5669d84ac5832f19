#include "portatune/run/inputs/rows/split.h"

#include <fmt/format.h>

#include "portatune/data.h"
#include "portatune/error.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/example_weights.h"
#include "portatune/run/inputs/rows/rows.h"

namespace portatune::run {
namespace {

constexpr auto kLabels = RowTask::Labels::kRequired;

std::vector<std::string> texts_in(const data::Dataset& rows, const std::string& column) {
  std::vector<std::string> texts;
  for (const data::Example& row : interruptible(rows).iterate()) {
    const auto* text = row.has(column) ? std::get_if<std::string>(&row.column(column)) : nullptr;
    texts.push_back(text != nullptr ? *text : "");  // encoding the row reports the fault
  }
  return texts;
}

}  // namespace

std::optional<std::vector<std::string>> classes_of(const RowTask& task, const data::Dataset& rows) {
  const std::string column = task.row_labels().class_column;
  if (column.empty()) return {};
  return texts_in(rows, column);
}

void check_validation_split(const RunOptions& a) {
  if (a.validation_split == 0 || (a.validation.empty() && a.folds == 0)) return;
  throw UsageError({.where = "validation_split",
                    .given = a.folds > 0 ? "--folds as well" : "--validation as well",
                    .expected = "one of them"});
}

std::vector<bool> held_out_rows(const RunOptions& a, const RowTask& task, const data::Dataset& all, Events& events) {
  const data::Dataset rows = tolerant(a.model, all);  // as select() counts them
  const uint64_t seed = a.training.seed;
  const std::optional<std::vector<std::string>> classes = classes_of(task, rows);
  if (!classes) return data::hold_out(count(rows), a.validation_split, seed);
  try {
    return data::stratified_hold_out(*classes, a.validation_split, seed);
  } catch (const UsageError& error) {
    events.notice(fmt::format("held-out rows are chosen regardless of their class: {}", error.report().given));
    return data::hold_out(std::ssize(*classes), a.validation_split, seed);
  }
}

Split split_of(const RunPlan& plan, const RowTask& task, Events& events) {
  const data::Dataset rows = training_rows(plan, task);
  if (plan.validation_split == 0) {
    return {
        .train = first_rows(rows, plan.max_train_samples),
        .validation = validation_sets(plan.model, plan.validation, task, eval_batch_size(plan), plan.max_eval_samples)};
  }
  const std::vector<bool> is_held_out = held_out_rows(plan, task, rows, events);
  const data::Dataset held_out = first_rows(without_weights(rows.select(is_held_out)), plan.max_eval_samples);
  std::vector<bool> is_trained_on = is_held_out;
  is_trained_on.flip();
  return {
      .train = first_rows(rows.select(is_trained_on), plan.max_train_samples),
      .validation = {{"", held_out, evaluation_batches(plan.model, task, held_out, eval_batch_size(plan), kLabels)}}};
}

}  // namespace portatune::run
