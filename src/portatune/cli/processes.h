// Commands that have been started several times, to train together.
#pragma once

#include "portatune/cli/commands.h"

namespace portatune::cli {

/// The arguments of one of the processes: the mesh is data=N of them unless another one is given, and the first alone
/// tells the user. The same arguments where there is one process.
/// errors  DeviceError if there is no plug-in for them, or the others do not come; UsageError if the environment tells
///         only half of a launch
FitArguments of_process(FitArguments a);

/// errors  UsageError that names an option of which another process has another value; whatever may differ (paths, what is
///         told) is not compared
void require_same_options(const FitArguments& a);

/// errors  UsageError if several processes have been started for what does not make them work together
void require_one_process(const char* what);

/// Waits until all processes have come to their end. Ends with the exit code of one that fails until then.
void leave_processes();

/// Tells what one of several processes has ended with, and ends them all: the others would wait for it. Returns where
/// it is the only one, or cannot reach the others.
void end_processes(int exit_code, const char* message);

}  // namespace portatune::cli
