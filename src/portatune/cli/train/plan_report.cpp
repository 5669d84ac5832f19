#include "portatune/cli/train/plan_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "portatune/base/text/number.h"
#include "portatune/cli/terminal/progress_bar.h"

namespace portatune::cli {
namespace {

std::string operations(double flops) { return in_units(flops, 1000, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"}); }

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string largest(const std::optional<plan::LargestBatch>& found) {
  if (!found) return "";
  if (found->fits > 0) return grouped(found->fits);
  return found->too_large == 1 ? "none" : "below " + grouped(found->too_large.value_or(1));
}

constexpr const char* kMemoryRow = "{:<16}{:<6}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>15}\n";
constexpr const char* kTimeRow = "{:<16}{:>14}{:>12}{:>12}{:>9}{:>8}{:>12}{:>12}\n";

std::string memory_row(const plan::PlannedTarget& target) {
  const plan::Memory& m = target.outcome.memory;
  const std::string capacity = binary_size(target.memory_bytes);
  if (!target.has_figures()) {
    const bool is_too_large = target.outcome.is_too_large;
    const auto known = [&](int64_t bytes) { return is_too_large ? binary_size(bytes) : ""; };
    return fmt::format(kMemoryRow, target.target.name, is_too_large ? "no" : "?", known(m.parameters),
                       known(m.optimizer()), known(m.batch), "", "", "", target.memory_bytes > 0 ? capacity : "",
                       largest(target.largest_batch));
  }
  return fmt::format(kMemoryRow, target.target.name, target.outcome.fits ? "yes" : "no", binary_size(m.parameters),
                     binary_size(m.optimizer()), binary_size(m.batch + m.layout), binary_size(m.temporaries),
                     m.has_code() ? binary_size(m.code) : "-", binary_size(m.total()), capacity,
                     largest(target.largest_batch));
}

const char* bound_of(const plan::MeanStep& step) {
  if (step.exchange_s > std::max(step.compute_s, step.memory_s)) return "links";
  return step.compute_s >= step.memory_s ? "compute" : "memory";
}

std::string time_row(const run::PlannedRun& run, const plan::PlannedTarget& target) {
  const plan::MeanStep step = plan::mean_step(target.outcome.shapes);
  return fmt::format(kTimeRow, target.target.name, operations(step.flops), decimal_size(step.bytes),
                     duration(step.seconds), bound_of(step),
                     fmt::format("{:.0f} %", 100 * step.compute_s / step.seconds),
                     run.steps_per_epoch ? duration(step.seconds * static_cast<double>(*run.steps_per_epoch)) : "-",
                     duration(target.compile_seconds()));
}

std::string options_of(const plan::Remedy& remedy, const run::PlannedRun& run) {
  std::vector<std::string> options;
  if (remedy.dtype != run.dtype) options.push_back(fmt::format("--dtype {}", name_of(remedy.dtype)));
  if (remedy.remat != run.remat) options.push_back("--remat " + name_in_table(remedy.remat));
  if (remedy.mesh != run.mesh) options.push_back("--mesh " + to_string(remedy.mesh));
  if (remedy.batch_size != run.batch_size) options.push_back(fmt::format("--batch-size {}", remedy.batch_size));
  std::string text = fmt::format("{}", fmt::join(options, " "));
  if (const int64_t times = remedy.mesh.size(kBatchAxes) / run.mesh.size(kBatchAxes); times != 1) {
    text += fmt::format(" (a step has {} times the rows then)", times);
  }
  return text;
}

std::string exchange_of(const plan::PlannedTarget& target) {
  if (!target.has_figures()) return "";
  const plan::MeanStep step = plan::mean_step(target.outcome.shapes);
  const std::string sent = fmt::format(", each of which sends {} in a step", decimal_size(step.sent_bytes));
  if (target.peaks.links == 0) return sent + ", within this machine's memory";
  return sent + fmt::format(", {} on its links", duration(step.exchange_s));
}

// Remarks on a target that do not fit into the rows of the table.
std::vector<std::string> remarks_on(const plan::PlannedTarget& target, const run::PlannedRun& run) {
  std::vector<std::string> lines;
  if (run.mesh.devices() > 1) {
    lines.push_back(fmt::format("per device; {} devices in the mesh {}{}", run.mesh.devices(), to_string(run.mesh),
                                exchange_of(target)));
  } else if (target.target.devices > 1) {
    lines.push_back(fmt::format("per device; one device of {}", target.target.devices));
  }
  if (!target.unavailable.empty()) lines.push_back("cannot be compiled for here: " + target.unavailable);
  if (!target.outcome.refusal.empty()) lines.push_back("does not compile: " + first_line(target.outcome.refusal));
  for (const plan::Remedy& remedy : target.remedies) lines.push_back("fits with " + options_of(remedy, run));
  if (!target.slow.empty()) {
    lines.push_back("slow: " + target.slow + ", the --time-limit");
  } else if (target.outcome.is_too_large && target.remedies.empty()) {
    lines.emplace_back("none of the options that plan tries makes it fit");
  }
  return lines;
}

// The line with the slots of an optimizer that has several; they are the same on all targets.
std::string slots_of(const std::vector<plan::PlannedTarget>& targets) {
  const auto known = std::ranges::find_if(targets, &plan::PlannedTarget::has_figures);
  if (known == targets.end() || known->outcome.memory.slots.size() < 2) return "";
  std::vector<std::string> slots;
  for (const auto& [name, bytes] : known->outcome.memory.slots) {
    slots.push_back(fmt::format("{} {}", name, binary_size(bytes)));
  }
  return fmt::format("{:<16}{}\n", "optimizer", fmt::join(slots, ", "));
}

}  // namespace

std::string table_of(const PlanReport& report) {
  std::string text = fmt::format(kMemoryRow, "memory", "fits", "parameters", "optimizer", "batch", "temporaries",
                                 "code", "all", "of", "largest batch");
  for (const plan::PlannedTarget& target : report.targets) text += memory_row(target);
  text +=
      "\n" + fmt::format(kTimeRow, "time, estimated", "a step", "", "", "bound by", "MFU <=", "epoch", "compiled in");
  for (const plan::PlannedTarget& target : report.targets) {
    if (target.has_figures()) text += time_row(report.run, target);
  }
  std::string remarks = slots_of(report.targets);
  for (const plan::PlannedTarget& target : report.targets) {
    for (const std::string& line : remarks_on(target, report.run)) {
      remarks += fmt::format("{:<16}{}\n", target.target.name, line);
    }
  }
  return text + (remarks.empty() ? "" : "\n" + remarks);
}

}  // namespace portatune::cli
