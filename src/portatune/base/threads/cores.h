// The cores of this machine that a thread may use.
#pragma once

#include <span>
#include <vector>

namespace portatune {

/// Number of cores that the calling thread may use; at least one.
int usable_cores();

/// Numbers of these cores, in ascending order; empty if the system does not report them.
std::vector<int> usable_core_numbers();

/// Limits the calling thread, and the threads that it starts afterwards, to cores of usable_core_numbers(). Changes
/// nothing if the system refuses.
void limit_to_cores(std::span<const int> cores);

}  // namespace portatune
