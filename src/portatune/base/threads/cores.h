// The cores of this machine that a thread may use.
#pragma once

#include <span>
#include <vector>

namespace portatune {

/// Number of threads that may compute at the same time in the calling thread's part of the machine: that of
/// allowed_cores(), or less with a quota of CPU time, rounded up; at least one.
int usable_cores();

/// Numbers of the cores on which the calling thread may run, in ascending order; empty if the system does not report
/// them.
std::vector<int> allowed_cores();

/// Returns whether a quota of CPU time, as containers have it, allows less than the cores of allowed_cores() give.
bool has_quota();

/// Limits the calling thread, and the threads that it starts afterwards, to cores of allowed_cores(). Changes nothing
/// if the system refuses.
void limit_to_cores(std::span<const int> cores);

}  // namespace portatune
