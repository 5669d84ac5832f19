// The cores of this machine that a thread may use.
#pragma once

#include <span>
#include <vector>

namespace portatune {

/// Number of threads that can compute at the same time: the number of allowed_cores(), or cpu_quota(), rounded up, if
/// that is lower; at least one.
int usable_cores();

/// Numbers of the cores on which the calling thread may run, in ascending order; empty if the system does not report
/// them.
std::vector<int> allowed_cores();

/// Limits the calling thread, and the threads that it starts afterwards, to cores of allowed_cores(). Changes nothing
/// if the system refuses.
void limit_to_cores(std::span<const int> cores);

}  // namespace portatune
