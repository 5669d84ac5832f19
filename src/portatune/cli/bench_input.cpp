// portatune bench-input: measures how fast rows become batches, by stage, without a device.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "portatune/base/clock.h"
#include "portatune/base/units.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/exit_code.h"
#include "portatune/cli/progress_bar.h"
#include "portatune/cli/report.h"
#include "portatune/cli/terminal_events.h"
#include "portatune/meter.h"
#include "portatune/run/inputs/example_weights.h"
#include "portatune/run/inputs/rows.h"
#include "portatune/run/inputs/training_batches.h"
#include "portatune/run/run_plan.h"
#include "portatune/train/evaluation.h"

namespace portatune::cli {
namespace {

struct Measured {
  int64_t passes = 0, batches = 0, examples = 0;
  TokenCount tokens;
  double seconds = 0;
  std::vector<data::Meter::Stage> stages;
};

int64_t examples_in(const data::Example& batch) {
  int64_t examples = 0;
  for (const float weight : batch.tensor(data::kExampleWeight).as<float>()) examples += weight > 0 ? 1 : 0;
  return examples;
}

// Only whole passes are measured, so that the work done once in each pass has its weight; counting is not timed.
Measured measure(const RowTask& task, const data::Dataset& batches, double seconds) {
  Measured measured;
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

double rate(int64_t count, double seconds) { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }

std::string table_of(const Measured& m) {
  const std::string unit = fmt::format("{}/s", m.tokens.unit);
  std::string text = fmt::format("{:<12}{:>10}{:>8}{:>14}{:>14}\n", "stage", "seconds", "share", "examples/s", unit);
  const auto line = [&](const std::string& name, double seconds) {
    text += fmt::format("{:<12}{:>10.3f}{:>7.0f}%{:>14}{:>14}\n", name, seconds, 100 * seconds / m.seconds,
                        grouped(std::llround(rate(m.examples, seconds))),
                        grouped(std::llround(rate(m.tokens.real, seconds))));
  };
  for (const data::Meter::Stage& stage : m.stages) line(stage.name, stage.seconds);
  line("all", m.seconds);
  return text + fmt::format("{} passes, {} batches, {} examples, {:.1f} % of places hold {}\n", m.passes,
                            grouped(m.batches), grouped(m.examples),
                            100 * static_cast<double>(m.tokens.real) / static_cast<double>(m.tokens.positions),
                            m.tokens.unit);
}

std::string json_of(const Measured& m) {
  nlohmann::ordered_json stages = nlohmann::ordered_json::array();
  const auto object = [&](const std::string& name, double seconds) {
    return nlohmann::ordered_json{{"stage", name},
                                  {"seconds", seconds},
                                  {"examples_per_second", rate(m.examples, seconds)},
                                  {std::string(m.tokens.unit) + "_per_second", rate(m.tokens.real, seconds)}};
  };
  for (const data::Meter::Stage& stage : m.stages) stages.push_back(object(stage.name, stage.seconds));
  nlohmann::ordered_json all = object("all", m.seconds);
  all.update({{"stages", stages},
              {"passes", m.passes},
              {"batches", m.batches},
              {"examples", m.examples},
              {m.tokens.unit, m.tokens.real},
              {"positions", m.tokens.positions}});
  return line_of(all);
}

}  // namespace

int bench_input(const BenchInputArguments& arguments) {
  const Talk& talk = arguments.fit.talk;
  TerminalEvents events(talk);
  const run::RunPlan plan = run::plan_run(arguments.fit, {}, events);
  const RowTask& task = *plan.task;
  const data::Dataset rows = run::training_rows(plan, task);
  const int64_t examples = run::count_examples(plan.model, task, rows);
  const Measured measured = measure(task, run::training_batches(task, rows, plan, examples), arguments.seconds);
  print_result(talk.json ? json_of(measured) : table_of(measured));
  return kOk;
}

}  // namespace portatune::cli
