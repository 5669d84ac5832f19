#include "portatune/run/probes/input_times.h"

#include <optional>

#include "portatune/base/threads/clock.h"
#include "portatune/run/inputs/batches/training_batches.h"
#include "portatune/run/inputs/rows/example_weights.h"
#include "portatune/run/inputs/rows/rows.h"
#include "portatune/run/run_plan.h"
#include "portatune/train/evaluation/evaluation.h"

namespace portatune::run {
namespace {

int64_t examples_in(const data::Example& batch) {
  int64_t examples = 0;
  for (const float weight : batch.tensor(data::kExampleWeight).as<float>()) examples += weight > 0 ? 1 : 0;
  return examples;
}

// Only whole passes are measured, so that the work done once in each pass has its weight; counting is not timed.
InputTimes measure(const RowTask& task, const data::Dataset& batches, double seconds) {
  InputTimes measured;
  data::Meter meter;
  do {
    data::Cursor cursor = batches.iterate(measured.passes++, &meter);
    for (;;) {
      const Clock::time_point start = Clock::now();
      const std::optional<data::Example> batch = cursor.next();
      measured.seconds += seconds_since(start);
      if (!batch) break;
      const TokenCount tokens = task.tokens(*batch);
      measured.tokens.real += tokens.real;
      measured.tokens.positions += tokens.positions;
      measured.tokens.unit = tokens.unit;
      measured.examples += examples_in(*batch);
      ++measured.batches;
    }
    if (measured.batches == 0) throw train::no_example("training data");
  } while (measured.seconds < seconds);
  measured.stages = meter.stages();
  return measured;
}

}  // namespace

InputTimes time_input(const RunOptions& options, double seconds, Events& events) {
  const RunPlan plan = plan_run(options, {}, events);
  const RowTask& task = *plan.task;
  const data::Dataset rows = training_rows(plan, task);
  const int64_t examples = count_examples(plan.model, task, rows);
  return measure(task, training_batches(task, rows, plan, examples), seconds);
}

}  // namespace portatune::run
