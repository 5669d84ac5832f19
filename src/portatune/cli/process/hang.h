// The watchdog that ends a run without progress and reports where the run hangs.
#pragma once

#include <memory>

#include "portatune/base/threads/watchdog.h"
#include "portatune/cli/options/arguments.h"
#include "portatune/run.h"

namespace portatune::cli {

class Processes;

/// Ends the process, and all processes of its group, with kHang after the seconds of --hang-timeout without progress.
/// The stacks of all threads are written to stderr before that. Null if the command is not to be watched, which is the
/// default for one process. There is one watchdog at a time.
/// processes  must outlive the watchdog
std::unique_ptr<Watchdog> watch_for_hangs(HangTimeout timeout_s, const DeviceOptions& device, Processes& processes);
/// The same for a training run, of which the newest valid checkpoint is named.
/// events, processes  must outlive the watchdog
std::unique_ptr<Watchdog> watch_for_hangs(const FitArguments& a, run::Events& events, Processes& processes);

}  // namespace portatune::cli
