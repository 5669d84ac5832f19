// A run that does not get on is ended, and says where it stands.
#pragma once

#include <memory>

#include "portatune/base/watchdog.h"
#include "portatune/cli/commands.h"
#include "portatune/run.h"

namespace portatune::cli {

/// Ends the process, and all that train together with it, with kHang when nothing was done for as long as
/// --hang-timeout says: by then the stacks of all threads are on stderr. Null if nothing is to be watched, as it is by
/// default where one process trains. It is for one run at a time.
std::unique_ptr<Watchdog> watch_for_hangs(const FitArguments& a, run::Events& events);

}  // namespace portatune::cli
