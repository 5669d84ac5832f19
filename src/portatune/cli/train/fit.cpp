// portatune fit: trains a model, one model for each fold with --folds, or a growing model in stages with --grow.
#include <filesystem>
#include <system_error>
#include <utility>

#include "portatune/base/text/shell_word.h"
#include "portatune/cli/commands.h"
#include "portatune/cli/options/runs/growth_stages.h"
#include "portatune/cli/process/command_events.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/cli/process/hang.h"
#include "portatune/cli/process/processes.h"
#include "portatune/cli/process/signals.h"
#include "portatune/cli/terminal/report.h"
#include "portatune/hub/adapters/adapter.h"
#include "portatune/io/text/json.h"
#include "portatune/process_group.h"

namespace portatune::cli {
namespace {

// The command that uploads a model without its checkpoints.
std::string upload_command(const std::filesystem::path& model) {
  bool has_checkpoints = false;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(model, ignored)) {
    has_checkpoints |= entry.path().filename().string().starts_with("checkpoint-");
  }
  return "hf upload ORG/NAME " + shell_word(model) + (has_checkpoints ? " --exclude 'checkpoint-*'" : "");
}

// A warning before an upload of an adapter that names its model by a path of this machine; empty if there is none.
std::string warning_of_path(const std::filesystem::path& output) {
  if (!hub::is_adapter(output)) return {};
  const std::string base =
      io::JsonObject::read(output / hub::kAdapterConfig).get_string_or("base_model_name_or_path", "");
  if (!std::filesystem::path(base).is_absolute()) return {};
  return std::string("before you share it, replace the path ") + base + " in " + hub::kAdapterConfig +
         " by the model's name on the Hub";
}

int cross_validate(const FitArguments& a, Processes& processes) {
  processes.require_one("folds");
  CommandEvents events(a, Trains::kSeveralRuns);
  const std::unique_ptr<Watchdog> watchdog = watch_for_hangs(a, events, processes);
  catch_signals();
  const std::optional<run::FoldOutcome> outcome = run::cross_validate(a, events);
  if (!outcome) return kInterrupted;
  print_result(a.reporting.json ? json_of(*outcome) : table_of(*outcome));
  return kOk;
}

void report_result(const FitArguments& a, const run::Outcome& outcome) {
  if (a.reporting.json) return print_result(json_of(outcome));
  print_summary(table_of(outcome));
  print_remark(a.reporting, "share               " + upload_command(outcome.output));
  const std::string warning = warning_of_path(outcome.output);
  if (!warning.empty()) print_remark(a.reporting, "                    " + warning);
}

int fit_stages(const FitArguments& a, Processes& processes) {
  processes.require_one("grow");
  const run::StagesOptions stages = growth_stages(a);
  CommandEvents events(a, Trains::kSeveralRuns);
  const std::unique_ptr<Watchdog> watchdog = watch_for_hangs(a, events, processes);
  catch_signals();
  const std::optional<run::Outcome> outcome = run::fit_stages(stages, events);
  if (!outcome) return kInterrupted;
  report_result(a, *outcome);
  return kOk;
}

}  // namespace

int execute(const FitArguments& given, Processes& processes) {
  FitArguments a = given;
  a.stop = stop_at_signal();
  if (!a.grow.empty()) return fit_stages(a, processes);
  if (a.folds > 0) return cross_validate(a, processes);
  a = processes.arguments_of(std::move(a));
  CommandEvents events(a);
  const std::unique_ptr<Watchdog> watchdog = watch_for_hangs(a, events, processes);
  catch_signals();
  const std::optional<run::Outcome> outcome = run::fit(a, events);
  if (!outcome) return kInterrupted;
  if (is_first(a.device.processes.get())) report_result(a, *outcome);
  return kOk;
}

}  // namespace portatune::cli
