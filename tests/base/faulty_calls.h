// Planned failures of system calls in this program.
#pragma once

namespace portatune::test {

/// The effect of a call of rename, renameat2, link, unlink, unlinkat or remove.
enum class Fault {
  kNone,
  kFails,         ///< one call fails with EIO
  kFailsForEver,  ///< this call and all later calls fail with EIO
  kEndsProcess    ///< the process ends before the call, as if it was killed
};

/// Plans a fault for call number `call` from now on, from 0.
void plan_fault(Fault fault, int call);
/// Returns whether the planned call was reached.
bool has_met_fault();

}  // namespace portatune::test
