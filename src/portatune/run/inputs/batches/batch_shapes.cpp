#include "portatune/run/inputs/batches/batch_shapes.h"

#include <utility>

#include "portatune/run/inputs/batches/packing.h"
#include "portatune/run/inputs/batches/padding.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/inputs/rows/validation.h"

namespace portatune::run {
namespace {

using Batches = std::vector<data::Dataset>;

// The batches are not packed, so that each example has a length.
Batches batches_of_training_rows(RunPlan a, const RowTask& task) {
  a.packed.reset();
  constexpr auto kLabels = RowTask::Labels::kRequired;
  const data::Dataset all = read_rows(a.model, a.train, task, kLabels);
  const data::Dataset rows = a.validation_split == 0 ? first_rows(all, a.max_train_samples) : all;
  const auto lengths = length_batches(a.model, task, rows, kLabels);
  return {lengths ? *lengths : training_batches(task, rows, a, 1)};
}

Batches evaluated_batches(const RunOptions& a, const RowTask& task) {
  Batches batches;
  for (const ValidationSet& set :
       validation_sets(a.model, a.validation, task, eval_batch_size(a), a.max_eval_samples)) {
    batches.push_back(counted_batches(a.model, task, set.rows, eval_batch_size(a), RowTask::Labels::kRequired));
  }
  if (!a.test.empty()) {
    constexpr auto kLabels = RowTask::Labels::kIgnored;
    const data::Dataset rows = read_rows(a.model, a.test, task, kLabels);
    batches.push_back(counted_batches(a.model, task, rows, eval_batch_size(a), kLabels));
  }
  return batches;
}

// Packed rows have max_length positions, so the lengths of a packed run are chosen for its evaluations. The longest
// training row must fit all the same, because rows are encoded one by one before training.
BatchLengths chosen_lengths(const RunPlan& a, const RowTask& task, Events& events) {
  if (padding_for(a.model.padding, task).kind == Padding::Kind::kMaxLength) return {};
  const bool evaluates_training_rows = a.validation_split > 0 || a.folds > 0;
  Batches trained = batches_of_training_rows(a, task), evaluated = evaluated_batches(a, task);
  if (a.packed && !evaluates_training_rows && evaluated.empty()) return {};
  if (a.packed && !evaluates_training_rows) std::swap(trained, evaluated);
  return choose_lengths(task, a.model.padding, trained, evaluated, events);
}

PackingPolicy policy_of(const std::optional<data::PackedShapes>& packed) {
  if (!packed) return PackingPolicy::kNone;
  return packed->packing == data::Packing::kTokenBudget ? PackingPolicy::kTokenBudget : PackingPolicy::kExactExamples;
}

}  // namespace

void choose_shapes(RunPlan& plan, Events& events) {
  RowTask& task = *plan.task;
  plan.packed = chosen_packing(plan, task, events);
  plan.packing = policy_of(plan.packed);
  const BatchLengths chosen = chosen_lengths(plan, task, events);
  plan.model.lengths = chosen.lengths;
  plan.model.pairs = chosen.pairs;
  set_lengths(task, chosen);
}

}  // namespace portatune::run
