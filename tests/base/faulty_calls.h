// System calls of this program that fail, or end it, at a given call.
#pragma once

namespace portatune::test {

/// What happens at a call of rename, renameat2, link, unlink, unlinkat or remove.
enum class Fault {
  kNone,
  kFails,         ///< it fails with EIO, once
  kFailsForEver,  ///< it fails with EIO, and so do all later ones
  kEndsProcess    ///< as if the process was killed before it
};

/// Plans a fault for the `call`-th call from now on, counted from 0.
void plan_fault(Fault fault, int call);
/// Whether the planned call has been reached.
bool has_met_fault();

}  // namespace portatune::test
