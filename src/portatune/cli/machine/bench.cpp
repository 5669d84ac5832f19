// portatune bench and bench-input: time training steps on random tokens, and the input pipeline.
#include <fmt/format.h>

#include <cmath>

#include "portatune/base/text/number.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/cli/terminal/terminal_events.h"
#include "portatune/run/probes/probe_json.h"

namespace portatune::cli {
namespace {

std::string table_of(const run::InputTimes& m) {
  const std::string unit = fmt::format("{}/s", m.tokens.unit);
  std::string text = fmt::format("{:<12}{:>10}{:>8}{:>14}{:>14}\n", "stage", "seconds", "share", "examples/s", unit);
  const auto line = [&](const std::string& name, double seconds) {
    text += fmt::format("{:<12}{:>10.3f}{:>7.0f}%{:>14}{:>14}\n", name, seconds, 100 * seconds / m.seconds,
                        grouped(std::llround(run::rate(m.examples, seconds))),
                        grouped(std::llround(run::rate(m.tokens.real, seconds))));
  };
  for (const data::Meter::Stage& stage : m.stages) line(stage.name, stage.seconds);
  line("all", m.seconds);
  return text + fmt::format("{} passes, {} batches, {} examples, {:.1f} % of positions hold {}\n", m.passes,
                            grouped(m.batches), grouped(m.examples),
                            100 * static_cast<double>(m.tokens.real) / static_cast<double>(m.tokens.positions),
                            m.tokens.unit);
}

}  // namespace

int execute(const BenchInputArguments& a) {
  const Reporting& reporting = a.fit.reporting;
  TerminalEvents events(reporting);
  const run::InputTimes times = run::time_input(a.fit, a.seconds, events);
  print_result(reporting.json ? run::json_of(times) : table_of(times));
  return kOk;
}

int execute(const BenchArguments& a) {
  const run::StepTimes times = run::time_steps(a);
  print_result(run::json_of(times));
  return kOk;
}

}  // namespace portatune::cli
