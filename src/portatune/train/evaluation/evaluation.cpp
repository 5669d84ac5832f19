#include "portatune/train/evaluation/evaluation.h"

#include <utility>

#include "portatune/base/threads/watchdog.h"
#include "portatune/error.h"
#include "portatune/runtime/processes/shared_failure.h"
#include "portatune/tasks/metrics/all_metrics.h"
#include "portatune/train/evaluation/row_order.h"
#include "portatune/train/finite.h"

namespace portatune::train {
namespace {

// Throws a NumericError naming the rows, and the first non-finite weight if there is one.
void require_finite_scores(const Evaluated& evaluated, const TrainingState& state, const char* where) {
  const std::string fault = not_finite_in(evaluated.loss_sum, evaluated.outputs);
  if (fault.empty()) return;
  const std::string weight = state.weights().first_not_finite();
  const char* const advice_on_model = weight.empty() ? "" : kAdviceOnModel;
  throw NumericError({.where = where,
                      .given = fault + " in the batch that begins at " + to_string(evaluated.batch.origin()) +
                               (weight.empty() ? "" : "; first non-finite weight: " + weight),
                      .expected = "finite numbers",
                      .fix = state.steps() > 0 ? kAdviceOnTraining : advice_on_model});
}

}  // namespace

void evaluate_each(TrainingState& state, const data::Dataset& batches,
                   const std::function<bool(const Evaluated&)>& take, const char* where) {
  std::optional<StartedEvaluation> running;
  data::Cursor cursor = batches.iterate();
  std::optional<BatchShapes> shapes;
  for (;;) {
    std::optional<data::Example> batch = in_all(state.processes(), [&] {
      std::optional<data::Example> next = cursor.next();
      if (next && shapes) shapes->require(state.task(), *next);
      return next;
    });
    std::optional<StartedEvaluation> started;
    if (batch && !shapes) {
      shapes.emplace(state.task(), *batch);
      state.compile({}, shapes->all());
      shapes->require(state.task(), *batch);
    }
    if (batch) started = state.start_evaluation(std::move(*batch));
    if (running) {
      const Evaluated evaluated = running->finish();
      note_progress();
      require_finite_scores(evaluated, state, where);
      if (!take(evaluated)) return;
    }
    if (!started) return;
    running = std::move(started);
  }
}

std::optional<data::Example> outputs_of_all_passes(TrainingState& state, const Evaluated& evaluated,
                                                   const char* where) {
  return state.task().outputs_of_all_passes(evaluated.batch, evaluated.outputs, [&](data::Example batch) {
    Evaluated next = state.start_evaluation(std::move(batch)).finish();
    note_progress();
    require_finite_scores(next, state, where);
    return std::move(next.outputs);
  });
}

std::optional<Scores> evaluate(TrainingState& state, const EvaluationSet& set,
                               const std::function<bool()>& should_stop) {
  const std::unique_ptr<Metrics> metrics = tasks::all_metrics(state.task());
  MeanLoss loss;
  int64_t batches = 0;
  bool stopped = false;
  RowOrder in_order([&](const data::Example& row, const data::Example& outputs) { metrics->update(row, outputs); });
  evaluate_each(state, set.batches, [&](const Evaluated& evaluated) {
    ++batches;
    loss.sum += evaluated.loss_sum;
    loss.weight += evaluated.weight_sum;
    const auto of_all_passes = outputs_of_all_passes(state, evaluated);
    const data::Example& outputs = of_all_passes ? *of_all_passes : evaluated.outputs;
    if (metrics->in_row_order() && evaluated.batch.has(data::kExamplePlace)) {
      in_order.add(evaluated.batch, outputs);
    } else {
      metrics->update(evaluated.batch, outputs);
    }
    if (set.observer) set.observer(evaluated.batch, outputs);
    stopped = should_stop();
    return !stopped;
  });
  if (stopped) return std::nullopt;
  in_order.finish();
  if (batches == 0) throw no_example("data to evaluate");
  if (loss.weight == 0) {
    throw DataError({.where = "data to evaluate",
                     .given = "rows of which none counts in the loss",
                     .expected = "a label with a weight above 0 in one row at least"});
  }
  Scores scores{{"loss", loss.mean()}};
  for (const auto& score : metrics->result()) scores.push_back(score);
  return scores;
}

Scores with_name(const std::string& set, Scores scores) {
  if (set.empty()) return scores;
  for (auto& [name, value] : scores) name = set + "_" + name;
  return scores;
}

DataError no_example(const std::string& where) {
  return DataError({.where = where, .given = "no example", .expected = "at least one"});
}

}  // namespace portatune::train
