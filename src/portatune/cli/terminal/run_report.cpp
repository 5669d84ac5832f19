#include "portatune/cli/terminal/run_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace portatune::cli {
namespace {

using parity::ComparedStep;
using parity::Drift;
using parity::RunComparison;

constexpr size_t kRows = 10;  // number of tensors shown
constexpr const char* kStepRow = "{:>6}{:>13}{:>13}{:>10}{:>13}{:>13}{:>10}{:>11}{:>12}{}\n";
constexpr const char* kTensorRow = "{:<10}{:<62}{:>6}{:>10}{:>10}{}\n";

std::string distance(double x) { return fmt::format("{:.1e}", x); }
std::string value(double x) { return fmt::format("{:.6g}", x); }
const char* mark(bool passed) { return passed ? "" : "  beyond"; }

std::string step_row(const ComparedStep& s, const parity::DriftTolerance& t) {
  return fmt::format(kStepRow, s.step, value(s.loss[0]), value(s.loss[1]), distance(s.loss_apart()),
                     value(s.grad_norm[0]), value(s.grad_norm[1]), distance(s.grad_norm_apart()),
                     s.has_tensors ? distance(s.gradient) : "", s.has_tensors ? distance(s.parameter) : "",
                     mark(s.passed(t)));
}

std::string steps_table(const RunComparison& c) {
  const parity::DriftTolerance& t = c.tolerance;
  std::string text = fmt::format(kStepRow, "step", "loss: first", "second", "apart", "norm: first", "second", "apart",
                                 "gradients", "parameters", "");
  for (const ComparedStep& step : c.steps) text += step_row(step, t);
  return text + fmt::format(kStepRow, "may be", "", "", distance(t.loss), "", "", distance(t.grad_norm),
                            distance(t.gradient), distance(t.parameter), "");
}

double severity(const Drift& d) { return d.apart / d.allowed; }

std::string tensors_table(const RunComparison& c) {
  std::vector<Drift> rows = c.gradients;
  rows.insert(rows.end(), c.parameters.begin(), c.parameters.end());
  const size_t count = std::min(kRows, rows.size());
  std::ranges::partial_sort(rows, rows.begin() + static_cast<std::ptrdiff_t>(count), std::ranges::greater(), severity);
  std::string text = fmt::format(kTensorRow, "", "furthest apart", "step", "apart", "may be", "");
  for (const Drift& d : std::span(rows).first(count)) {
    text += fmt::format(kTensorRow, name_of(d.kind), d.tensor, d.step, distance(d.apart), distance(d.allowed),
                        mark(d.passed()));
  }
  return text;
}

std::string of_both_kinds(const std::vector<Drift>& drifts) {
  const auto parameters = std::ranges::count(drifts, Drift::Kind::kParameter, &Drift::kind);
  return fmt::format("{} gradients and {} parameters", std::ssize(drifts) - parameters, parameters);
}

std::string verdict(const RunComparison& c) {
  std::string text = fmt::format("loss curves: {} apart at most, {} on average\n", distance(c.max_loss_apart()),
                                 distance(c.mean_loss_apart()));
  if (c.passed()) {
    return text + fmt::format("all agree: {} gradients and {} parameters over {} steps\n", c.gradients.size(),
                              c.parameters.size(), c.steps.size());
  }
  if (c.not_finite) {
    text += fmt::format("the {} run is not finite in step {}, the other one is; the first that is not: {}\n",
                        c.not_finite->run == 0 ? "first" : "second", c.not_finite->step,
                        c.not_finite->first.empty() ? "not found" : c.not_finite->first);
  }
  if (c.first_beyond.empty()) return text + (c.not_finite ? "" : "no tensor drifts, but losses or norms do\n");
  const Drift& first = c.first_beyond.front();
  return text + fmt::format("first to drift: the {} of {} in step {}: {} apart, may be {}; with it {} of that step\n",
                            name_of(first.kind), first.tensor, first.step, distance(first.apart),
                            distance(first.allowed), of_both_kinds(c.first_beyond));
}

}  // namespace

std::string table_of(const run::ComparedRuns& runs) {
  const auto& [settings, comparison] = runs;
  return fmt::format("first   {}\nsecond  {}\n\n", describe(settings[0]), describe(settings[1])) +
         steps_table(comparison) + "\n" + tensors_table(comparison) + "\n" + verdict(comparison);
}

}  // namespace portatune::cli
