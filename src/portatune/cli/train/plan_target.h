// Plans a run for one target within a time limit.
#pragma once

#include "portatune/cli/options/commands.h"
#include "portatune/cli/train/plan_report.h"

namespace portatune::cli {

/// The parts of the plan that are complete within the time limit; PlannedTarget::slow names the step that took too
/// long. In this case a thread keeps compiling and reads `run` and `arguments`: the process must end without destroying
/// them.
/// errors  those of the compiler; Stopped
PlannedTarget plan_in_time(const plan::Target& target, const plan::Run& run, const PlanArguments& arguments);

}  // namespace portatune::cli
